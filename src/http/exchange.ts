import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Body } from './body.ts';
import type { Connections } from './connections.ts';
import { asHttpFailure, HttpFailure } from './failure.ts';

/** What is sent with a request. It can be read again, for another try. */
export interface Payload {
  readonly length: number;
  readonly read: () => AsyncIterable<Uint8Array>;
}

/** One request. */
export interface Request {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: Payload | undefined;
  readonly signal: AbortSignal;
  /** After so long without a byte in either direction the server counts as stalled. */
  readonly stallSeconds: number;
  /** How long the answer may take once everything is sent. Default: as a stall. */
  readonly answerSeconds?: number | undefined;
}

/** An answer whose body is still to come, and must be read or dropped. */
export interface Answer {
  readonly status: number;
  /** `Not Found`. */
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
}

/** Sends a request and waits for its answer. No redirects, no retries. */
export async function exchange(connections: Connections, request: Request): Promise<Answer> {
  const { signal, stallSeconds, payload } = request;
  signal.throwIfAborted();
  const route = connections.route(request.url);
  const sent = (route.secure ? httpsRequest : httpRequest)({
    ...route.options,
    method: request.method,
    headers: {
      host: request.url.host,
      'user-agent': 'kubexm',
      'accept-encoding': 'identity',
      ...request.headers,
      ...route.headers,
      ...(payload === undefined ? bare(request.method) : { 'content-length': String(payload.length) }),
    },
  });
  const watch = new Watch(sent);
  const stop = () => sent.destroy(new Error('stopped'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    watch.expect(stallSeconds);
    const answered = new Promise<Answer>((resolve, reject) => {
      sent.on('response', (message) => {
        const { statusCode: status = 0, statusMessage: statusText = '', headers } = message;
        resolve({ status, statusText, headers, body: new Body(message, stallSeconds, signal) });
      });
      // Stays on for good: a late error of a request that was given up must not end the process.
      sent.on('error', reject);
      sent.on('close', () => reject(new HttpFailure('the connection was closed', { transient: true })));
    });
    // The loser of the race below must not become an unhandled rejection.
    answered.catch(() => undefined);
    if (payload !== undefined) await transmit(sent, payload, answered, () => watch.expect(stallSeconds));
    if (!sent.writableEnded) sent.end();
    watch.expect(request.answerSeconds ?? stallSeconds);
    return await answered;
  } catch (error) {
    signal.throwIfAborted();
    // An error on this side, such as a file that cannot be read, is passed on unchanged.
    if (error instanceof PayloadFailure) throw error.cause;
    throw asHttpFailure(error);
  } finally {
    watch.stop();
    signal.removeEventListener('abort', stop);
  }
}

class PayloadFailure extends Error {}

/** Writes the payload as fast as it is taken. A server may answer before it has all: then the rest stays here. */
async function transmit(
  sent: ClientRequest,
  payload: Payload,
  answered: Promise<unknown>,
  alive: () => void,
): Promise<void> {
  let over = false;
  let written = 0;
  const done = answered.finally(() => {
    over = true;
  });
  done.catch(() => undefined);
  const chunks = payload.read()[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value, done: last } = await chunks.next().catch((error: unknown) => {
        sent.destroy();
        throw new PayloadFailure('the payload cannot be read', { cause: error });
      });
      if (last === true) return;
      if (over) break;
      written += value.length;
      // With its last bytes the request ends: a quick answer finds a connection that can be used again.
      if (written === payload.length) sent.end(value);
      else if (!sent.write(value)) await Promise.race([drained(sent), done]);
      alive();
    }
  } finally {
    await chunks.return?.();
  }
  // The connection has no use any more: the server still expects the rest of the payload.
  sent.shouldKeepAlive = false;
}

function drained(sent: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    sent.once('drain', resolve);
  });
}

/** Servers want to know that nothing comes with a POST; with a GET they know. */
function bare(method: string): Readonly<Record<string, string>> {
  return method === 'GET' || method === 'HEAD' ? {} : { 'content-length': '0' };
}

/** Gives a request up that has been silent for too long. */
class Watch {
  private readonly sent: ClientRequest;
  private timer: NodeJS.Timeout | undefined;

  constructor(sent: ClientRequest) {
    this.sent = sent;
  }

  expect(seconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.sent.destroy(new HttpFailure(`no answer within ${seconds} s`, { transient: true }));
    }, seconds * 1000);
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
