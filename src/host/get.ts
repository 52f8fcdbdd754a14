import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { kubexmError } from '../model/errors/index.ts';
import type { GetOptions } from '../model/host.ts';
import { quote } from '../model/script.ts';
import { type Link, MAX_CUTS } from './link.ts';
import { StallWatch } from './stall-watch.ts';
import { lastWords, startStream } from './stream.ts';

/** What is fetched unless the caller says otherwise. */
const MOST_BYTES = 256 * 1024 * 1024;
/** A size is a number and a line end. */
const HEAD_BYTES = 32;

/** Brings a file here: beside its place first, then renamed. A cut connection is waited for, then it starts again. */
export async function getFile(link: Link, path: string, localPath: string, options: GetOptions): Promise<void> {
  const part = `${localPath}.${randomBytes(6).toString('hex')}.part`;
  const handle = await openLocal(part, localPath);
  try {
    for (let cuts = 0; (await receive(link, path, handle, options)) === 'cut'; ) {
      if (++cuts >= MAX_CUTS) throw kubexmError('KX3019', { host: link.host, count: cuts }, { host: link.host });
      await handle.truncate(0);
    }
    await handle.chmod(Number.parseInt(options.mode ?? '0600', 8));
    await handle.sync();
    await rename(part, localPath);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

async function receive(link: Link, path: string, handle: FileHandle, options: GetOptions): Promise<'done' | 'cut'> {
  const session = await link.stream(options.signal);
  const script = [
    `set -- ${quote(path)}`,
    '[ -f "$1" ] || { echo "no such file" >&2; exit 1; }',
    'exec <"$1" || exit',
    'kx_size "$1" && cat',
    'exit',
  ];
  const channel = startStream(session, link.info, script.join('\n'));
  const said = lastWords(channel.stderr);
  const { host } = link;
  const { stallMs } = link.deadlines;
  const { promise: gone, resolve: letGo } = Promise.withResolvers<void>();
  const giveUp = (): void => {
    channel.close();
    letGo();
  };
  const watch = new StallWatch(stallMs, giveUp);
  void session.connection.closed.then(() => letGo());
  options.signal?.addEventListener('abort', giveUp, { once: true });
  try {
    const saving = new Saving(handle, path, host, options);
    for await (const chunk of untilGone(channel.stdout, gone)) {
      watch.moved();
      await saving.take(chunk);
    }
    if (saving.complete) return saving.checked();
    const exit = await channel.exit;
    options.signal?.throwIfAborted();
    if (watch.stalled) {
      if ((await link.fate(session.connection)) === 'cut') return 'cut';
      throw kubexmError('KX3036', { path, host, seconds: stallMs / 1000 }, { host });
    }
    if (exit.code === undefined || !session.connection.alive) return 'cut';
    const reason = said() || (exit.code === 0 ? 'it changed meanwhile' : `exit code ${exit.code}`);
    throw kubexmError('KX3035', { path, host, reason }, { host });
  } finally {
    watch.stop();
    options.signal?.removeEventListener('abort', giveUp);
    channel.close();
  }
}

/** What arrives of a file: the first line is its size, the rest the file. The host is believed neither. */
class Saving {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #host: string;
  readonly #options: GetOptions;
  readonly #hash = createHash('sha256');
  #head = '';
  #size: number | undefined;
  #received = 0;

  constructor(handle: FileHandle, path: string, host: string, options: GetOptions) {
    this.#handle = handle;
    this.#path = path;
    this.#host = host;
    this.#options = options;
  }

  get complete(): boolean {
    return this.#received === this.#size;
  }

  /** Writes it down. */
  async take(chunk: Buffer): Promise<void> {
    const data = this.#size === undefined ? this.#readSize(chunk) : chunk;
    if (!data || this.#size === undefined) return;
    if (this.#received + data.length > this.#size) throw this.#unreadable('it changed meanwhile');
    this.#hash.update(data);
    await this.#handle.write(data, 0, data.length, this.#received);
    this.#received += data.length;
    this.#options.progress?.(this.#received, this.#size);
  }

  /** Throws if it is not what it should be. */
  checked(): 'done' {
    const [host, path, want] = [this.#host, this.#path, this.#options.sha256];
    const got = this.#hash.digest('hex');
    if (want !== undefined && want !== got) throw kubexmError('KX3033', { path, host, got, want }, { host });
    return 'done';
  }

  #readSize(chunk: Buffer): Buffer | undefined {
    const most = this.#options.maxBytes ?? MOST_BYTES;
    this.#head += chunk.toString('latin1');
    const end = this.#head.indexOf('\n');
    if (end < 0 && this.#head.length <= HEAD_BYTES) return undefined;
    const size = Number(this.#head.slice(0, Math.max(end, 0)).trim() || Number.NaN);
    if (!Number.isSafeInteger(size) || size < 0) throw this.#unreadable('its size was not sent');
    const [host, path] = [this.#host, this.#path];
    if (size > most) throw kubexmError('KX3037', { path, host, size, most }, { host });
    this.#size = size;
    return Buffer.from(this.#head.slice(end + 1), 'latin1');
  }

  #unreadable(reason: string): Error {
    return kubexmError('KX3035', { path: this.#path, host: this.#host, reason }, { host: this.#host });
  }
}

/** A stream that breaks off, or that nobody waits for any more, simply ends: the size tells that something is missing. */
async function* untilGone(stream: Readable, gone: Promise<void>): AsyncGenerator<Buffer> {
  const chunks = stream[Symbol.asyncIterator]();
  const over = gone.then(() => ({ done: true, value: undefined }));
  for (;;) {
    const next = await Promise.race([chunks.next().catch(() => ({ done: true, value: undefined })), over]);
    if (next.done) return;
    yield next.value as Buffer;
  }
}

async function openLocal(part: string, localPath: string): Promise<FileHandle> {
  try {
    return await open(part, 'wx', 0o600);
  } catch (error) {
    throw kubexmError('KX3034', { path: localPath, reason: (error as Error).message }, { cause: error });
  }
}
