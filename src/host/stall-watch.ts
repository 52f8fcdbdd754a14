/** Calls back once when nothing has moved for a while. */
export class StallWatch {
  readonly #onStall: () => void;
  #timer: NodeJS.Timeout;
  #stalled = false;

  constructor(ms: number, onStall: () => void) {
    this.#onStall = onStall;
    this.#timer = this.#start(ms);
  }

  get stalled(): boolean {
    return this.#stalled;
  }

  /** Something moved. */
  moved(): void {
    if (!this.#stalled) this.#timer.refresh();
  }

  /** From now on nothing moves for another reason: so long may that take. */
  expect(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#stalled) this.#timer = this.#start(ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #start(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#stalled = true;
      this.#onStall();
    }, ms);
  }
}
