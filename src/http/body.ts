import type { IncomingMessage } from 'node:http';
import { asHttpFailure, HttpFailure } from './failure.ts';

const ENOUGH = 4 * 1024 * 1024;
/** So much of an answer that nobody wants is read, to keep the connection; of a longer one the connection is closed. */
const WORTH_READING = 64 * 1024;
/** What is read as a whole is small. */
const SMALL_SECONDS = 120;

/**
 * The body of an answer. Everything that arrived is handed out before a cut is reported, so that it can be kept; a server that
 * goes silent is given up, but the time that the reader takes does not count.
 */
export class Body {
  private readonly message: IncomingMessage;
  private readonly stallSeconds: number;
  private readonly signal: AbortSignal;
  private waiting: Buffer[] = [];
  private bytes = 0;
  private ended = false;
  private failure: Error | undefined;
  private wake: () => void = () => undefined;

  /** Must be made in the turn in which the answer arrived. */
  constructor(message: IncomingMessage, stallSeconds: number, signal: AbortSignal) {
    this.message = message;
    this.stallSeconds = stallSeconds;
    this.signal = signal;
    message.on('data', (chunk: Buffer) => {
      this.waiting.push(chunk);
      this.bytes += chunk.length;
      if (this.bytes > ENOUGH) message.pause();
      this.wake();
    });
    message.on('error', (error) => this.end(error));
    message.on('end', () => this.end(undefined));
    message.on('close', () => {
      this.end(message.complete ? undefined : new HttpFailure('the connection was cut', { transient: true }));
    });
  }

  /** Everything that comes, in order; throws at the end if it was cut. */
  async *chunks(): AsyncGenerator<Buffer> {
    const stop = () => this.message.destroy(new Error('stopped'));
    this.signal.addEventListener('abort', stop, { once: true });
    try {
      for (;;) {
        this.signal.throwIfAborted();
        const ready = this.waiting;
        this.waiting = [];
        this.bytes = 0;
        if (this.message.isPaused()) this.message.resume();
        yield* ready;
        if (this.waiting.length > 0) continue;
        if (this.failure !== undefined) throw this.failure;
        if (this.ended) return;
        await this.more();
      }
    } catch (error) {
      this.signal.throwIfAborted();
      throw asHttpFailure(error);
    } finally {
      this.signal.removeEventListener('abort', stop);
      if (!this.ended) this.message.destroy();
    }
  }

  /** All of a body that is not longer than this; a longer one is a failure, and so is one that trickles. */
  async all(max: number, maxSeconds = SMALL_SECONDS): Promise<Buffer> {
    const chunks: Buffer[] = [];
    const until = performance.now() + maxSeconds * 1000;
    let bytes = 0;
    for await (const chunk of this.chunks()) {
      bytes += chunk.length;
      if (performance.now() > until) {
        throw new HttpFailure(`the answer takes longer than ${maxSeconds} s`, { transient: true });
      }
      if (bytes > max) throw new HttpFailure(`the answer is longer than ${max} bytes`, { transient: false });
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** Nobody wants the rest, and the connection may be used again if little is left. */
  async drop(): Promise<void> {
    await this.all(WORTH_READING).catch(() => this.message.destroy());
  }

  /** Nobody wants the rest, and the connection is closed with it. */
  stop(): void {
    if (!this.ended) this.message.destroy();
  }

  private async more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.wake = resolve;
    const timer = setTimeout(() => {
      this.end(new HttpFailure(`no byte for ${this.stallSeconds} s`, { transient: true }));
      this.message.destroy();
    }, this.stallSeconds * 1000);
    await promise;
    clearTimeout(timer);
  }

  private end(error: Error | undefined): void {
    if (this.ended) return;
    this.ended = true;
    this.failure = error;
    this.wake();
  }
}
