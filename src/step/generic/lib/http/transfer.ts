import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { Body } from './body.ts';
import { asFailure, statusFailure, TransferFailure } from './failure.ts';
import { get, type HttpOptions } from './request.ts';

/** What is known about a file before it is here. */
export interface Expected {
  /** In hex. With it, a transfer may go on at another address. */
  readonly sha256?: string | undefined;
  readonly bytes?: number | undefined;
}

/** A file that came as a whole. */
export interface Transferred {
  readonly sha256: string;
  readonly bytes: number;
  /** Part of it had come earlier. */
  readonly resumed: boolean;
}

/** What a part of a file belongs to. */
interface PartNote {
  /** A digest of the address: it may hold a password. */
  readonly from: string;
  /** A strong ETag or a date: only with it a server can tell that the file is still the same. */
  readonly validator?: string;
  readonly total?: number;
}

/** Where a file grows until it is whole. */
export interface Part {
  readonly file: string;
  readonly note: string;
}

/** The part of a file that will have this path. */
export function partOf(path: string): Part {
  return { file: `${path}.part`, note: `${path}.part.json` };
}

/** Forgets what came so far. */
export async function dropPart(part: Part): Promise<void> {
  await rm(part.file, { force: true });
  await rm(part.note, { force: true });
}

/** Brings the rest of a file, or all of it, into its part. Throws TransferFailure; what came stays, unless it is of no use. */
export async function transfer(
  url: URL,
  part: Part,
  expected: Expected,
  options: HttpOptions,
  progress: (done: number, total: number | undefined) => void,
): Promise<Transferred> {
  const note = await readNote(part);
  const have = note === undefined ? 0 : await sizeOf(part.file);
  const same = note?.from === idOf(url);
  const resume = have > 0 && ((same && note?.validator !== undefined) || expected.sha256 !== undefined);
  const ifRange = same && note?.validator !== undefined ? { 'if-range': note.validator } : {};
  const headers = resume ? { range: `bytes=${have}-`, ...ifRange } : {};
  const { body } = await get(url, { ...options, headers });
  const { message } = body;
  try {
    const start = await startOf(message, resume ? have : 0, resume ? note?.total : undefined, expected, part);
    const total = totalOf(message, start, expected);
    await writeFile(part.note, JSON.stringify(noteOf(url, message, total)), { mode: 0o600 });
    const hash = await hashOf(part.file, start);
    const handle = await open(part.file, start > 0 ? 'r+' : 'w', 0o600);
    try {
      const bytes = await receive(body, handle, hash, start, total, options, progress);
      await handle.sync();
      return { sha256: hash.digest('hex'), bytes, resumed: start > 0 };
    } finally {
      await handle.close();
    }
  } catch (error) {
    options.signal.throwIfAborted();
    throw asFailure(error);
  } finally {
    body.stop();
  }
}

/** Where the answer's body belongs. A server that gives another part than was asked for is not to be trusted with any. */
async function startOf(
  message: IncomingMessage,
  have: number,
  knownTotal: number | undefined,
  expected: Expected,
  part: Part,
): Promise<number> {
  const { statusCode = 0, headers } = message;
  if (statusCode === 206 && have > 0) {
    const match = /^bytes ([0-9]+)-([0-9]+)\/([0-9]+|\*)$/.exec(headers['content-range'] ?? '');
    const total = match?.[3] === '*' || match === null ? undefined : Number(match[3]);
    const changed =
      total !== undefined && knownTotal !== undefined && total !== knownTotal && expected.sha256 === undefined;
    if (match !== null && Number(match[1]) === have && !changed) return have;
    await dropPart(part);
    throw new TransferFailure(
      `the rest was asked for from byte ${have}, and ${headers['content-range'] ?? 'nothing'} came`,
      { transient: true },
    );
  }
  if (statusCode === 416 && have > 0) {
    await dropPart(part);
    throw new TransferFailure('the file there is not longer than what already came', {
      transient: true,
      retryAfter: 0,
    });
  }
  if (statusCode !== 200) throw statusFailure(statusCode, message.statusMessage ?? '', headers['retry-after']);
  return 0;
}

/** How long the whole file is, as the server says and as far as it is to be believed. */
function totalOf(message: IncomingMessage, start: number, expected: Expected): number | undefined {
  const { headers } = message;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    throw new TransferFailure(`the server packs the file as ${encoding}`, { transient: false });
  const length = headers['content-length'];
  const total = length === undefined ? undefined : start + Number(length);
  if (
    total === undefined &&
    headers['transfer-encoding'] === undefined &&
    expected.sha256 === undefined &&
    expected.bytes === undefined
  ) {
    throw new TransferFailure('the server does not say how long the file is, and no checksum is known', {
      transient: false,
    });
  }
  if (total !== undefined && expected.bytes !== undefined && total !== expected.bytes) {
    throw new TransferFailure(`the server has ${total} bytes, expected are ${expected.bytes}`, { transient: false });
  }
  return total ?? expected.bytes;
}

async function receive(
  body: Body,
  handle: FileHandle,
  hash: Hash,
  start: number,
  total: number | undefined,
  options: HttpOptions,
  progress: (done: number, total: number | undefined) => void,
): Promise<number> {
  let at = start;
  const stalled = () => body.stop(new TransferFailure(`no byte for ${options.stallSeconds} s`, { transient: true }));
  let timer = setTimeout(stalled, options.stallSeconds * 1000);
  const stop = () => body.stop(new Error('stopped'));
  options.signal.addEventListener('abort', stop, { once: true });
  try {
    progress(at, total);
    for await (const chunk of body.chunks()) {
      clearTimeout(timer);
      if (total !== undefined && at + chunk.length > total)
        throw new TransferFailure(`more than the ${total} bytes that were announced`, { transient: false });
      await writeAll(handle, chunk, at);
      hash.update(chunk);
      at += chunk.length;
      progress(at, total);
      timer = setTimeout(stalled, options.stallSeconds * 1000);
    }
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', stop);
  }
  if (total !== undefined && at !== total)
    throw new TransferFailure(`the connection ended after ${at} of ${total} bytes`, { transient: true });
  if (!body.message.complete) throw new TransferFailure(`the connection ended after ${at} bytes`, { transient: true });
  return at;
}

async function writeAll(handle: FileHandle, chunk: Buffer, at: number): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    done += (await handle.write(chunk, done, chunk.length - done, at + done)).bytesWritten;
  }
}

function idOf(url: URL): string {
  return createHash('sha256').update(url.href).digest('hex');
}

async function hashOf(file: string, length: number): Promise<Hash> {
  const hash = createHash('sha256');
  if (length > 0) for await (const chunk of createReadStream(file, { end: length - 1 })) hash.update(chunk as Buffer);
  return hash;
}

function noteOf(url: URL, message: IncomingMessage, total: number | undefined): PartNote {
  const { etag, 'last-modified': modified } = message.headers;
  const validator = etag !== undefined && !etag.startsWith('W/') ? etag : modified;
  return {
    from: idOf(url),
    ...(validator === undefined ? {} : { validator }),
    ...(total === undefined ? {} : { total }),
  };
}

async function readNote(part: Part): Promise<PartNote | undefined> {
  try {
    const note: unknown = JSON.parse(await readFile(part.note, 'utf8'));
    return typeof note === 'object' && note !== null && 'from' in note ? (note as PartNote) : undefined;
  } catch {
    return undefined;
  }
}

async function sizeOf(file: string): Promise<number> {
  return await stat(file).then(
    (found) => found.size,
    () => 0,
  );
}
