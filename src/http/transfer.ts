import type { Answer } from './exchange.ts';
import { HttpFailure, statusFailure, WrongLength } from './failure.ts';
import { get, type HttpOptions } from './get.ts';

/** Where bytes grow until they are a whole file. What came stays there after a cut. */
export interface Sink {
  readonly size: number;
  append(chunk: Uint8Array): Promise<void>;
  /** Begins again. */
  reset(): Promise<void>;
}

/** What is known about a file before it is here. */
export interface Expected {
  readonly bytes?: number | undefined;
  /** Its digest is known and will be checked: then it does not matter what else a server says about it. */
  readonly checked: boolean;
  /** How long it was when its beginning came. */
  readonly wasBytes?: number | undefined;
}

/** Told how far a file is. */
export type OnBytes = (done: number, total: number | undefined) => void;

/** What else is asked and noted with a transfer. */
export interface TransferNotes {
  /** Only with it a server can tell that the file is still the same. */
  readonly validator?: string | undefined;
  /** Called when it is known where the bytes belong, before the first one is kept. */
  readonly begun?: ((answer: Answer, total: number | undefined) => Promise<void>) | undefined;
}

/** Brings the rest of a file, or all of it, into its sink. What came stays, unless it is of no use. Throws HttpFailure. */
export async function transfer(
  url: URL,
  sink: Sink,
  expected: Expected,
  options: HttpOptions,
  progress: OnBytes,
  notes: TransferNotes = {},
): Promise<void> {
  const ifRange = notes.validator === undefined ? {} : { 'if-range': notes.validator };
  const range = sink.size > 0 ? { range: `bytes=${sink.size}-`, ...ifRange } : {};
  const answer = await get(url, { ...options, headers: { ...options.headers, ...range } });
  await receive(answer, sink, expected, progress, notes.begun);
}

/** Takes what a server sends when it was asked for all that is not in the sink yet. Throws HttpFailure, and what the sink throws. */
export async function receive(
  answer: Answer,
  sink: Sink,
  expected: Expected,
  progress: OnBytes,
  begun?: TransferNotes['begun'],
): Promise<void> {
  try {
    const rangeTotal = await begin(answer, sink, expected);
    const total = totalOf(answer, sink.size, rangeTotal, expected);
    await begun?.(answer, total);
    progress(sink.size, total);
    for await (const chunk of answer.body.chunks()) {
      if (total !== undefined && sink.size + chunk.length > total) {
        await sink.reset();
        const more = `more than ${total} bytes`;
        throw new WrongLength(`${more}, which were announced`, more, total);
      }
      await sink.append(chunk);
      progress(sink.size, total);
    }
    if (total !== undefined && sink.size !== total) {
      throw new HttpFailure(`the connection ended after ${sink.size} of ${total} bytes`, { transient: true });
    }
  } finally {
    answer.body.stop();
  }
}

/** Puts the sink where the body goes on, and says how long the range's file is. A server that gives another part than was asked for is not to be trusted with any. */
async function begin(answer: Answer, sink: Sink, expected: Expected): Promise<number | undefined> {
  const { status, statusText, headers } = answer;
  const asked = sink.size;
  if (status === 206 && asked > 0) {
    const match = /^bytes ([0-9]+)-([0-9]+)\/([0-9]+|\*)$/.exec(headers['content-range'] ?? '');
    const total = match === null || match[3] === '*' ? undefined : Number(match[3]);
    const changed =
      !expected.checked && total !== undefined && expected.wasBytes !== undefined && total !== expected.wasBytes;
    if (match !== null && Number(match[1]) === asked && !changed) return total;
    await sink.reset();
    throw new HttpFailure(
      `the rest was asked for from byte ${asked}, and ${headers['content-range'] ?? 'nothing'} came`,
      {
        transient: true,
      },
    );
  }
  if (status === 416 && asked > 0) {
    await sink.reset();
    throw new HttpFailure('the file there is not longer than what already came', { transient: true, retryAfter: 0 });
  }
  if (status !== 200) throw statusFailure(status, statusText, headers['retry-after']);
  if (asked > 0) await sink.reset();
  return undefined;
}

/** How long the whole file is, as the server says and as far as it is to be believed. */
function totalOf(
  { headers }: Answer,
  start: number,
  rangeTotal: number | undefined,
  { bytes, checked }: Expected,
): number | undefined {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new HttpFailure(`the server packs the file as ${encoding}`, { transient: false });
  const length = headers['content-length'];
  const total = rangeTotal ?? (length === undefined ? undefined : start + Number(length));
  if (total === undefined && headers['transfer-encoding'] === undefined && !checked && bytes === undefined) {
    throw new HttpFailure('the server does not say how long the file is, and no checksum is known', {
      transient: false,
    });
  }
  if (total !== undefined && bytes !== undefined && total !== bytes) {
    throw new WrongLength(`the server has ${total} bytes, expected are ${bytes}`, `${total} bytes`, bytes);
  }
  return total ?? bytes;
}
