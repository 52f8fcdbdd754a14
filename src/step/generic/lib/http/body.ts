import type { IncomingMessage } from 'node:http';

const ENOUGH = 4 * 1024 * 1024;

/**
 * The body of an answer, taken from the connection as it comes. A stream that is only iterated over loses what it holds when
 * the connection is cut; here everything that arrived is handed out before the cut is reported, so that it can be kept.
 */
export class Body {
  readonly message: IncomingMessage;
  private waiting: Buffer[] = [];
  private bytes = 0;
  private ended = false;
  private failure: Error | undefined;
  private wake: () => void = () => undefined;

  /** Must be made in the turn in which the answer arrived. */
  constructor(message: IncomingMessage) {
    this.message = message;
    message.on('data', (chunk: Buffer) => {
      this.waiting.push(chunk);
      this.bytes += chunk.length;
      if (this.bytes > ENOUGH) message.pause();
      this.wake();
    });
    message.on('error', (error) => this.end(error));
    message.on('end', () => this.end(undefined));
    message.on('close', () => this.end(message.complete ? undefined : new Error('the connection was closed')));
  }

  /** Everything that comes, in order; throws at the end if it was cut. */
  async *chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      const ready = this.waiting;
      this.waiting = [];
      this.bytes = 0;
      if (this.message.isPaused()) this.message.resume();
      yield* ready;
      if (this.waiting.length > 0) continue;
      if (this.failure !== undefined) throw this.failure;
      if (this.ended) return;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Gives the rest up. */
  stop(error?: Error): void {
    this.message.destroy(error);
  }

  private end(error: Error | undefined): void {
    if (this.ended) return;
    this.ended = true;
    this.failure = error;
    this.wake();
  }
}
