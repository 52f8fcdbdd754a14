import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type BlobStore, openBlobStore } from './blob-store.ts';
import { type Digest, digestOf } from './digest.ts';

const base = mkdtempSync(join(tmpdir(), 'kubexm-store-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const { signal } = new AbortController();
const data = Buffer.from('the content of a blob');
const digest = digestOf(data);

let store: BlobStore;
beforeEach(async () => {
  store = await openBlobStore(mkdtempSync(join(base, 's-')));
});

const arriving = () => readdirSync(join(store.dir, 'ingest'));

test('keeps bytes under their digest, read-only, and leaves nothing else', async () => {
  expect(await store.put(data)).toEqual({ digest, size: data.length });
  expect(await store.bytes(digest)).toEqual(data);
  expect(statSync(store.path(digest)).mode & 0o777).toBe(0o444);
  expect(arriving()).toEqual([]);
  expect(await store.sizeOf(digestOf('other'))).toBeUndefined();
});

test('a flipped byte is noticed, and storing the blob again corrects it', async () => {
  await store.put(data);
  chmodSync(store.path(digest), 0o644);
  writeFileSync(store.path(digest), Buffer.from(data).fill(0, 3, 4));
  await expect(store.bytes(digest)).rejects.toMatchObject({ code: 'KX7121' });
  expect(existsSync(store.path(digest))).toBe(false);
  await expect(store.bytes(digest)).rejects.toMatchObject({ code: 'KX7120' });
  expect(await store.verify(digest)).toBe(false);
  await store.put(data);
  chmodSync(store.path(digest), 0o644);
  writeFileSync(store.path(digest), Buffer.from(data).fill(0, 3, 4));
  await store.put(data);
  expect(await store.verify(digest)).toBe(true);
});

test('a source that fails leaves nothing behind', async () => {
  const source = (async function* () {
    yield data;
    throw new Error('cut');
  })();
  await expect(store.write(source)).rejects.toThrow('cut');
  expect(arriving()).toEqual([]);
});

test('what came before a failure is there for the next try', async () => {
  const failing = store.ingest(digest, signal, async (part) => {
    await part.append(data.subarray(0, 8));
    throw new Error('cut');
  });
  await expect(failing).rejects.toThrow('cut');
  const sizes: number[] = [];
  await store.ingest(digest, signal, async (part) => {
    sizes.push(part.size);
    await part.append(data.subarray(part.size));
  });
  expect(sizes).toEqual([8]);
  expect(await store.bytes(digest)).toEqual(data);
  expect(arriving()).toEqual([]);
});

test('wrong content never gets the name, and is not kept for the next try', async () => {
  const wrong = store.ingest(digest, signal, (part) => part.append(Buffer.from('something else')));
  await expect(wrong).rejects.toMatchObject({ code: 'KX7121' });
  expect(await store.sizeOf(digest)).toBeUndefined();
  await store.ingest(digest, signal, async (part) => {
    expect(part.size).toBe(0);
    await part.append(data);
  });
});

test('sha512 is as good', async () => {
  const long: Digest = `sha512:${createHash('sha512').update(data).digest('hex')}`;
  await store.ingest(long, signal, (part) => part.append(data));
  expect(await store.bytes(long)).toEqual(data);
});

test('many in one process who want the same blob fetch it once', async () => {
  let fetched = 0;
  await Promise.all(
    Array.from({ length: 8 }, () =>
      store.ingest(digest, signal, async (part) => {
        fetched++;
        await delay(30);
        await part.append(data);
      }),
    ),
  );
  expect(fetched).toBe(1);
});

test('waiting for another can be given up', async () => {
  const stop = new AbortController();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const first = store.ingest(digest, signal, async (part) => {
    await held;
    await part.append(data);
  });
  const second = store.ingest(digest, stop.signal, async () => undefined);
  await delay(20);
  stop.abort();
  await expect(second).rejects.toMatchObject({ name: 'AbortError' });
  release();
  await first;
});

const child = `
  const [module, dir, digest, hold] = process.argv.slice(1);
  const { openBlobStore } = await import(module);
  const store = await openBlobStore(dir);
  await store.ingest(digest, new AbortController().signal, async (part) => {
    process.stdout.write('fetching ' + part.size + '\\n');
    const data = Buffer.from('the content of a blob');
    await part.append(data.subarray(part.size, 8));
    await new Promise((resolve) => setTimeout(resolve, Number(hold)));
    await part.append(data.subarray(8));
  });
  process.stdout.write('done\\n');
`;
function start(hold: number) {
  const module = new URL('./blob-store.ts', import.meta.url).href;
  const process_ = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '-e',
      child,
      module,
      store.dir,
      digest,
      String(hold),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  process_.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = new Promise<void>((resolve) => process_.on('close', () => resolve()));
  return { kill: () => process_.kill('SIGKILL'), said: () => said, ended };
}

test('two processes fetch a blob once; the second takes over where a killed one was', async () => {
  const first = start(60_000);
  while (first.said() === '') await delay(20);
  const second = start(0);
  const third = start(0);
  await delay(300);
  expect(second.said() + third.said(), 'both wait').toBe('');
  first.kill();
  await Promise.all([first.ended, second.ended, third.ended]);
  expect([second.said(), third.said()].sort()).toEqual(['done\n', 'fetching 8\ndone\n']);
  expect(await store.bytes(digest)).toEqual(data);
});

test('what killed processes left is swept once it is old, other things stay', async () => {
  await store.put(data);
  writeFileSync(join(store.dir, 'ingest', 'x.new'), 'x');
  await store.sweep(60_000);
  expect(arriving()).toEqual(['x.new']);
  await delay(20);
  await store.sweep(10);
  expect(arriving()).toEqual([]);
  expect(await store.verify(digest)).toBe(true);
});

test('a second name is the same file', async () => {
  await store.put(data);
  expect(await store.linkTo(digest, join(store.dir, 'name'))).toBe(true);
  expect(statSync(join(store.dir, 'name')).ino).toBe(statSync(store.path(digest)).ino);
  await expect(store.linkTo(digestOf('none'), join(store.dir, 'other'))).rejects.toMatchObject({ code: 'KX7120' });
});

test('a full disk is reported, and what fitted stays for the next try', async () => {
  const full = store.ingest(digest, signal, async (part) => {
    await part.append(data.subarray(0, 5));
    const { handle } = part as unknown as { handle: FileHandle };
    Object.assign(part, { handle: await open('/dev/full', 'w') });
    await handle.close();
    await part.append(data.subarray(5));
  });
  await expect(full).rejects.toMatchObject({
    code: 'KX7122',
    params: { path: expect.stringContaining('.part') as string, reason: 'ENOSPC: no space left on device' },
  });
  await store.ingest(digest, signal, async (part) => {
    expect(part.size).toBe(5);
    await part.append(data.subarray(5));
  });
  expect(await store.verify(digest)).toBe(true);
});

test('a directory that cannot be made is named', async () => {
  writeFileSync(join(base, 'a-file'), '');
  await expect(openBlobStore(join(base, 'a-file', 'store'))).rejects.toMatchObject({
    code: 'KX7122',
    params: { reason: expect.stringMatching(/^ENOTDIR: not a directory$/) as string },
  });
});
