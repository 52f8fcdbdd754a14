import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { kubexmError } from '../model/errors/index.ts';
import type { PutOptions } from '../model/host.ts';
import { quote } from '../model/script.ts';
import type { Link } from './link.ts';
import { lastWords, startStream } from './stream.ts';

/** Brings a file here: beside its place first, then renamed. A cut connection is waited for, then it starts again. */
export async function getFile(link: Link, path: string, localPath: string, options: PutOptions): Promise<void> {
  const part = `${localPath}.${randomBytes(6).toString('hex')}.part`;
  const handle = await openLocal(part, localPath);
  try {
    while ((await receive(link, path, handle, options)) === 'cut') await handle.truncate(0);
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

async function receive(link: Link, path: string, handle: FileHandle, options: PutOptions): Promise<'done' | 'cut'> {
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
  const abort = (): void => channel.close();
  options.signal?.addEventListener('abort', abort, { once: true });
  try {
    const { expected, received, sha256 } = await save(channel.stdout, handle, options);
    const exit = await channel.exit;
    options.signal?.throwIfAborted();
    if (expected !== undefined && received === expected) {
      const want = options.sha256;
      if (want === undefined || want === sha256) return 'done';
      throw kubexmError('KX3033', { path, host: link.host, got: sha256, want }, { host: link.host });
    }
    if (exit.code === undefined || !session.connection.alive) return 'cut';
    const reason = said() || (exit.code === 0 ? 'it changed meanwhile' : `exit code ${exit.code}`);
    throw kubexmError('KX3035', { path, host: link.host, reason }, { host: link.host });
  } finally {
    options.signal?.removeEventListener('abort', abort);
    channel.close();
  }
}

interface Saved {
  readonly expected: number | undefined;
  readonly received: number;
  readonly sha256: string;
}

/** The first line is the size, the rest the file. */
async function save(stream: Readable, handle: FileHandle, options: PutOptions): Promise<Saved> {
  const hash = createHash('sha256');
  let head = '';
  let expected: number | undefined;
  let received = 0;
  for await (const chunk of untilCut(stream)) {
    let data = chunk;
    if (expected === undefined) {
      head += chunk.toString('latin1');
      const end = head.indexOf('\n');
      if (end < 0) continue;
      expected = Number(head.slice(0, end));
      data = Buffer.from(head.slice(end + 1), 'latin1');
    }
    hash.update(data);
    await handle.write(data, 0, data.length, received);
    received += data.length;
    options.progress?.(received, expected);
  }
  return { expected, received, sha256: hash.digest('hex') };
}

/** A stream that breaks off simply ends: the size tells that something is missing. */
async function* untilCut(stream: Readable): AsyncGenerator<Buffer> {
  const chunks = stream[Symbol.asyncIterator]();
  for (;;) {
    const next = await chunks.next().catch(() => ({ done: true, value: undefined }));
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
