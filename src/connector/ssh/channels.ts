/** Lets a limited number of channels be open at once; the rest wait their turn. */
export class ChannelGate {
  #limit: number;
  #open = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many are open now. */
  get open(): number {
    return this.#open;
  }

  /** Waits for a place. */
  async enter(signal?: AbortSignal): Promise<void> {
    while (this.#open >= this.#limit) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      if (signal?.aborted) {
        this.#wake();
        throw signal.reason;
      }
    }
    this.#open++;
  }

  /** Gives a place back. */
  leave(): void {
    this.#open--;
    this.#wake();
  }

  /** The server opens fewer than we thought: never ask for more than were open then. */
  lower(): void {
    this.#limit = Math.max(1, Math.min(this.#limit, this.#open));
  }

  #wake(): void {
    this.#waiting.shift()?.();
  }
}
