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
    while (this.#taken >= this.#limit) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      if (signal?.aborted) {
        this.#wake();
        throw signal.reason;
      }
    }
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

  #wake(): void {
    this.#waiting.shift()?.();
  }
}
