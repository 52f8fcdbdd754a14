/** Lets a limited number of channels be open at once; the rest wait their turn. */
export class ChannelGate {
  #limit: number;
  /** Open, or on their way. */
  #taken = 0;
  #open = 0;
  /** The most that were open at once: so many the server allows for sure. */
  #peak = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** No channel is open or on its way. */
  get empty(): boolean {
    return this.#taken === 0;
  }

  /** No more than one may be open at once. */
  get single(): boolean {
    return this.#limit === 1;
  }

  /** Waits for a place. */
  async enter(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    while (this.#taken >= this.#limit) await this.#turn(signal);
    this.#taken++;
  }

  /** The channel of a place was opened. */
  opened(): void {
    this.#open++;
    this.#peak = Math.max(this.#peak, this.#open);
  }

  /** An open channel was closed. */
  closed(): void {
    this.#open--;
    this.#leave();
  }

  /** The server did not open the channel: it allows no more than the others, or than it once did. */
  refused(): void {
    this.#limit = Math.max(1, Math.min(this.#limit, Math.max(this.#peak, this.#taken - 1)));
    this.#leave();
  }

  /** The channel was not opened for another reason. */
  failed(): void {
    this.#leave();
  }

  #leave(): void {
    this.#taken--;
    this.#wake();
  }

  /** Waits to be woken. A caller that gives up leaves the queue: its wake-up would be lost to those behind it. */
  async #turn(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = (): void => {
      const at = this.#waiting.indexOf(resolve);
      // Not in the queue any more: woken in the same moment. The place goes to the next.
      if (at < 0) this.#wake();
      else this.#waiting.splice(at, 1);
      reject(signal?.reason as Error);
    };
    this.#waiting.push(resolve);
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      await promise;
      signal?.throwIfAborted();
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  #wake(): void {
    this.#waiting.shift()?.();
  }
}
