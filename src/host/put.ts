import { createHash } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { kubexmError } from '../model/errors/index.ts';
import type { PutOptions } from '../model/host.ts';
import { quote } from '../model/script.ts';
import { type Link, MAX_CUTS } from './link.ts';
import { StallWatch } from './stall-watch.ts';
import { lastWords, startStream } from './stream.ts';
import { cannotWrite, checkDigest, INLINE_BYTES, writeInline } from './write.ts';

/** How much is read at once. */
const CHUNK = 1024 * 1024;
/** How much is written at once: every piece that the host takes shows that the transfer goes on. */
const PIECE = 128 * 1024;

/** Bytes to send, from any position. A chunk is used until the next but one is asked for. */
interface Source {
  readonly size: number;
  readonly sha256: string;
  from(offset: number): AsyncIterable<Uint8Array>;
}

/** Sends a file of this machine. */
export async function putFile(link: Link, localPath: string, path: string, options: PutOptions): Promise<void> {
  const size = await sizeOf(localPath);
  if (size <= INLINE_BYTES) {
    const content = await readFile(localPath);
    checkDigest(link.host, path, content, options.sha256);
    const sha256 = createHash('sha256').update(content).digest('hex');
    return writeInline(link, path, content, { ...options, sha256 });
  }
  const sha256 = options.sha256 ?? (await digest(readFrom(localPath, 0)));
  await send(link, path, { size, sha256, from: (offset) => readFrom(localPath, offset) }, options);
}

/** Writes content of any size. */
export async function writeContent(link: Link, path: string, content: Uint8Array, options: PutOptions): Promise<void> {
  if (content.length <= INLINE_BYTES) return writeInline(link, path, content, options);
  checkDigest(link.host, path, content, options.sha256);
  const sha256 = options.sha256 ?? createHash('sha256').update(content).digest('hex');
  const from = async function* (offset: number): AsyncGenerator<Uint8Array> {
    for (let at = offset; at < content.length; at += CHUNK) yield content.subarray(at, at + CHUNK);
  };
  await send(link, path, { size: content.length, sha256, from }, options);
}

/** Sends until it is there: a cut connection is waited for, and the rest is sent. */
async function send(link: Link, path: string, source: Source, options: PutOptions): Promise<void> {
  const words = [path, source.sha256, options.mode ?? '0644', options.owner ?? ''].map(quote).join(' ');
  const { digestMs } = link.deadlines;
  for (let [damaged, swapped, cuts, reached] = [0, 0, 0, 0]; ; ) {
    options.signal?.throwIfAborted();
    const look = await link.query(`kx_put_look ${words}`, { signal: options.signal, timeoutMs: digestMs });
    if (look.code !== 0) throw cannotWrite(link.host, path, look);
    if (look.stdout.trim() === 'same') {
      options.progress?.(source.size, source.size);
      return;
    }
    const offset = await continueFrom(source, look.stdout);
    // A network that breaks again and again still gets a file across, as long as every try gets further.
    if (offset > reached) [reached, cuts] = [offset, 0];
    const result = await sendOnce(link, words, source, offset, options);
    if (result === 'done') return;
    if (result === 'cut') {
      if (++cuts < MAX_CUTS) continue;
      throw kubexmError('KX3019', { host: link.host, count: cuts }, { host: link.host });
    }
    if (result === 'stalled') {
      throw kubexmError(
        'KX3036',
        { path, host: link.host, seconds: link.deadlines.stallMs / 1000 },
        { host: link.host },
      );
    }
    if (result.code === 67 && ++swapped < 3) continue;
    if (result.code !== 65) throw cannotWrite(link.host, path, result);
    // A damaged transfer is tried once more from the start; then the file itself is not what was meant.
    const got = result.stderr.match(/sha256 ([0-9a-f]+)/)?.[1] ?? '?';
    if (++damaged > 1 || offset === 0) {
      throw kubexmError('KX3033', { path, host: link.host, got, want: source.sha256 }, { host: link.host });
    }
  }
}

/** Where to go on: behind the partial file that is there, if it is a beginning of ours. */
async function continueFrom(source: Source, look: string): Promise<number> {
  const [size = '0', sha256 = ''] = look.trim().split(' ');
  const offset = Number(size);
  if (offset === 0 || offset > source.size) return 0;
  const same = (await digest(source.from(0), offset)) === sha256;
  return same ? offset : 0;
}

type Sent = 'done' | 'cut' | 'stalled' | { readonly code: number; readonly stderr: string };

/**
 * Sends what is missing, behind what is there. The host digests the whole file, from memory, before it gets its name: what
 * is on it is what counts, and hosts do so at the same time while this machine has to encrypt for all of them.
 */
async function sendOnce(link: Link, words: string, source: Source, offset: number, options: PutOptions): Promise<Sent> {
  const session = await link.stream(options.signal);
  const left = source.size - offset;
  // Without an end of input on a terminal, the count tells when to stop.
  const receive = session.pty ? `head -c ${left}` : 'cat';
  const script = [
    `set -- ${words}`,
    'kx_part "$1" "$2" || exit',
    ...(offset === 0 ? ['kx_put_anew && (set -C; : >"$kx_tmp") || exit'] : []),
    `${receive} >>"$kx_tmp" || exit`,
    `kx_put_check "$1" "$2" ${source.size}`,
    'exit',
  ];
  const channel = startStream(session, link.info, script.join('\n'));
  const printed = lastWords(channel.stdout);
  channel.stdout.resume();
  const said = lastWords(channel.stderr);
  const abort = (): void => channel.close();
  const watch = new StallWatch(link.deadlines.stallMs, abort);
  options.signal?.addEventListener('abort', abort, { once: true });
  try {
    await pump(source.from(offset), channel.stdin, channel.exit, watch, (sent) =>
      options.progress?.(offset + sent, source.size),
    );
    if (!session.pty) channel.stdin.end();
    watch.expect(link.deadlines.digestMs);
    const exit = await channel.exit;
    if (exit.code === 0) return await name(link, words, printed());
    options.signal?.throwIfAborted();
    if (watch.stalled) return (await link.fate(session.connection)) === 'cut' ? 'cut' : 'stalled';
    if (exit.code === undefined || !session.connection.alive) return 'cut';
    return { code: exit.code, stderr: said() };
  } finally {
    watch.stop();
    options.signal?.removeEventListener('abort', abort);
    channel.close();
  }
}

/** Gives the file that was found to be right its name. If it is not there any more under its old one, a look tells why. */
async function name(link: Link, words: string, printed: string): Promise<Sent> {
  const marks = /^marks (.+)$/m.exec(printed)?.[1] ?? '';
  const { code, stderr } = await link.query(`kx_put_name ${words} ${quote(marks)}`);
  if (code === 0) return 'done';
  return { code, stderr: code === 67 ? 'somebody else takes it away' : stderr };
}

/** Writes chunks as fast as they are taken, reading one ahead, until all are written or the other end has gone. */
async function pump(
  from: AsyncIterable<Uint8Array>,
  to: Writable,
  gone: Promise<unknown>,
  watch: StallWatch,
  report: (sent: number) => void,
): Promise<void> {
  let ended = false;
  const end = gone.then(() => {
    ended = true;
  });
  let sent = 0;
  let writing: Promise<unknown> = Promise.resolve();
  for await (const chunk of from) {
    await writing;
    if (ended) return;
    writing = Promise.race([write(to, chunk, watch), end]);
    sent += chunk.length;
    report(sent);
  }
  await writing;
}

function write(to: Writable, chunk: Uint8Array, watch: StallWatch): Promise<void> {
  return new Promise((resolve) => {
    for (let at = 0; at < chunk.length; at += PIECE) {
      const last = at + PIECE >= chunk.length;
      to.write(chunk.subarray(at, at + PIECE), () => {
        watch.moved();
        if (last) resolve();
      });
    }
  });
}

/** Reads a file into two buffers by turns: fresh ones for every chunk would be most of the work. */
async function* readFrom(localPath: string, offset: number): AsyncGenerator<Uint8Array> {
  const handle = await open(localPath);
  try {
    const buffers = [Buffer.allocUnsafe(CHUNK), Buffer.allocUnsafe(CHUNK)] as const;
    for (let at = offset, turn = 0; ; turn = 1 - turn) {
      const buffer = buffers[turn as 0 | 1];
      const { bytesRead } = await handle.read(buffer, 0, CHUNK, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function sizeOf(localPath: string): Promise<number> {
  try {
    const found = await stat(localPath);
    if (!found.isFile()) throw new Error('it is not a file');
    return found.size;
  } catch (error) {
    throw kubexmError('KX3034', { path: localPath, reason: (error as Error).message }, { cause: error });
  }
}

/** The sha256 of all chunks, or of the first bytes. */
async function digest(chunks: AsyncIterable<Uint8Array>, count = Number.POSITIVE_INFINITY): Promise<string> {
  const hash = createHash('sha256');
  let left = count;
  for await (const chunk of chunks) {
    hash.update(chunk.length > left ? chunk.subarray(0, left) : chunk);
    left -= chunk.length;
    if (left <= 0) break;
  }
  return hash.digest('hex');
}
