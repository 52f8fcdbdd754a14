import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Supplied } from '../../src/artifacts/cache/types.ts';
import { bundle, directory, writeBundle } from '../../src/artifacts/sources/index.ts';
import { noise } from '../oci/workshop.ts';
import { contentOf, failure, fileNeed, filesJob, hex, member, SourceWorld, tarOf } from './source-world.ts';

const at = new SourceWorld();
const one = noise(2_500_000, 1);
const two = Buffer.from('apiVersion: v1\n');
const job = filesJob(fileNeed('https://x/one'), fileNeed('https://x/two.yaml', { kind: 'manifest' }));
const ids = ['tool/1.2.3/amd64/one', 'tool/1.2.3/amd64/two.yaml'] as const;
let items: ReadonlyMap<string, Supplied>;
let file: string;
let count = 0;

beforeEach(async () => {
  const put = async (data: Buffer): Promise<Supplied> => ({
    sha256: (await at.store.put(data)).digest.slice(7),
    size: data.length,
  });
  items = new Map([
    [ids[0], await put(one)],
    [ids[1], await put(two)],
    ['tool/1.2.3/arm64/copy', await put(two)],
  ]);
  file = join(at.base, `bundle-${count++}.tar`);
});

async function expectAll(source: ReturnType<typeof bundle>): Promise<void> {
  const store = await at.newStore();
  const got = await source.get(job, store, at.io());
  expect([...got.keys()]).toEqual(ids);
  expect(hex(await contentOf(store, got.get(ids[0])))).toBe(hex(one));
  expect(hex(await contentOf(store, got.get(ids[1])))).toBe(hex(two));
  expect(await at.expectSound(store)).toHaveLength(2);
}

test('a bundle: written, read, the same bytes from any writer and in any order', async () => {
  const written = await writeBundle(items, at.store, file);
  expect(written).toEqual({ sha256: hex(readFileSync(file)), size: readFileSync(file).length });
  await expectAll(bundle({ path: file }));
  await expectAll(bundle({ path: file, sha256: written.sha256 }));
  const other = await writeBundle(new Map([...items].toReversed()), at.store, `${file}.again`);
  expect(other).toEqual(written);
  expect(at.progress.at(-1)).toEqual([one.length + two.length, one.length + two.length]);
  expect(readdirSync(at.base).filter((name) => name.endsWith('.new'))).toEqual([]);
});

test('tar reads it, and what it unpacks is a directory to use', async () => {
  await writeBundle(items, at.store, file);
  const dir = `${file}.d`;
  mkdirSync(dir);
  expect(spawnSync('tar', ['-xf', file, '-C', dir]).status).toBe(0);
  expect(readdirSync(join(dir, 'blobs/sha256'))).toHaveLength(2);
  await expectAll(directory({ path: dir }));
});

test('and a bundle that tar has packed again is one', async () => {
  await writeBundle(items, at.store, file);
  const dir = `${file}.d`;
  mkdirSync(dir);
  spawnSync('tar', ['-xf', file, '-C', dir]);
  for (const format of ['gnu', 'pax']) {
    expect(spawnSync('tar', ['--format', format, '-cf', file, '-C', dir, '.']).status).toBe(0);
    await expectAll(bundle({ path: file }));
  }
});

test('keys follow the content', async () => {
  await writeBundle(items, at.store, file);
  const key = await bundle({ path: file }).key(job);
  expect(await bundle({ path: file }).key(job)).toBe(key);
  const changed = new Map([...items, [ids[1], items.get(ids[0])!]]);
  await writeBundle(changed, at.store, file);
  expect(await bundle({ path: file }).key(job)).not.toBe(key);
});

describe('what is wrong with it is said', () => {
  const reason = async (source: ReturnType<typeof bundle>) => {
    const store = await at.newStore();
    expect(await source.key(job)).toBeDefined();
    const error = await failure(source.get(job, store, at.io()));
    for (const name of await at.expectSound(store)) expect([hex(one), hex(two)]).toContain(name);
    return `${error.code} ${error.message.replaceAll(file, 'FILE')}`;
  };

  test('not there', async () => {
    expect(await reason(bundle({ path: file }))).toBe(
      'KX7075 FILE cannot be used as a bundle: ENOENT: no such file or directory',
    );
    expect(await reason(directory({ path: file }))).toMatch(/^KX7075 .*ENOENT/);
    expect(await reason(bundle({ path: at.base }))).toMatch(/^KX7075 .*EISDIR/);
  });

  test.each([0.01, 0.3, 0.9, 0.999])('cut off after %d of it', async (fraction) => {
    const { size } = await writeBundle(items, at.store, file);
    truncateSync(file, Math.floor(size * fraction));
    expect(await reason(bundle({ path: file }))).toMatch(/^KX7075 FILE .* cut off/);
  });

  test('something else', async () => {
    writeFileSync(file, noise(5000, 3));
    expect(await reason(bundle({ path: file }))).toMatch(/^KX7075 .*it is no tar, or it is damaged/);
    writeFileSync(file, await tarOf([member('other', 'x')]));
    expect(await reason(bundle({ path: file }))).toMatch(/^KX7075 .*it has no index\.json/);
    writeFileSync(file, await tarOf([member('index.json', '{"format":"oci"}')]));
    expect(await reason(bundle({ path: file }))).toMatch(/^KX7075 .*not that of a bundle/);
    writeFileSync(file, await tarOf([member('index.json', '{')]));
    expect(await reason(bundle({ path: file }))).toMatch(/^KX7075 .*not valid JSON/);
    const climbing = {
      format: 'kubexm-bundle',
      version: 1,
      items: { x: { sha256: hex('x'), size: 1, blob: '../../etc/passwd' } },
    };
    writeFileSync(file, await tarOf([member('index.json', JSON.stringify(climbing))]));
    expect(await reason(bundle({ path: file }))).toMatch(/^KX7075 .*wrong about "x"/);
  });

  test('another version of the format', async () => {
    const index = JSON.stringify({ format: 'kubexm-bundle', version: 2, items: {} });
    writeFileSync(file, await tarOf([member('index.json', index)]));
    expect(await reason(bundle({ path: file }))).toContain(
      'it has version 2 of the format, and this kubexm reads version 1',
    );
  });

  test('without an item', async () => {
    await writeBundle(new Map([[ids[0], items.get(ids[0])!]]), at.store, file);
    expect(await reason(bundle({ path: file }))).toBe(`KX7076 FILE does not have ${ids[1]}`);
  });

  test('another bundle than the one that is meant', async () => {
    const { sha256 } = await writeBundle(items, at.store, file);
    expect(await reason(bundle({ path: file, sha256: 'a'.repeat(64) }))).toBe(
      `KX7078 the bundle FILE has the sha256 ${sha256}; the configuration says ${'a'.repeat(64)}`,
    );
  });

  test('a flipped byte', async () => {
    await writeBundle(items, at.store, file);
    const bytes = readFileSync(file);
    const where = bytes.indexOf(one.subarray(1_000_000, 1_000_064));
    bytes[where] = (bytes[where] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    expect(await reason(bundle({ path: file }))).toMatch(
      /^KX7077 tool\/1\.2\.3\/amd64\/one in FILE is damaged: its digest is/,
    );
  });

  test('a directory whose blob is missing, or short', async () => {
    await writeBundle(items, at.store, file);
    const dir = `${file}.d`;
    mkdirSync(dir);
    spawnSync('tar', ['-xf', file, '-C', dir]);
    const blob = join(dir, 'blobs/sha256', hex(one));
    truncateSync(blob, 100);
    expect(await reason(directory({ path: dir }))).toMatch(/^KX7077 .*it has 100 bytes, expected are 2500000/);
    rmSync(blob);
    expect(await reason(directory({ path: dir }))).toMatch(/^KX7077 .*its bytes are not there/);
  });
});

test('what a killed process had begun is gone on with, or thrown away where it is wrong', async () => {
  await writeBundle(items, at.store, file);
  for (const begun of [one.subarray(0, 1_000_000), noise(1_000_000, 9), Buffer.concat([one, one])]) {
    const store = await at.newStore();
    writeFileSync(join(store.dir, 'ingest', `sha256-${hex(one)}.part`), begun);
    const got = await bundle({ path: file }).get(job, store, at.io());
    expect(hex(await contentOf(store, got.get(ids[0])))).toBe(hex(one));
  }
});

test('a damaged blob of the store is not written into a bundle', async () => {
  const path = at.store.path(`sha256:${hex(one)}`);
  const copy = `${path}.x`;
  copyFileSync(path, copy);
  rmSync(path);
  writeFileSync(path, noise(one.length, 5));
  rmSync(copy);
  expect((await failure(writeBundle(items, at.store, file))).code).toBe('KX7121');
  expect(readdirSync(at.base).filter((name) => name.startsWith(file.split('/').at(-1) ?? ''))).toEqual([]);
});

test('stopped', async () => {
  const { sha256 } = await writeBundle(items, at.store, file);
  const stop = new AbortController();
  const io = at.io({ signal: stop.signal, progress: () => stop.abort() });
  const source = bundle({ path: file, sha256 });
  await expect(source.get(job, await at.newStore(), io)).rejects.toThrow(/abort/i);
  // The next one looks at the bundle itself.
  await expectAll(source);
  await expect(writeBundle(items, at.store, `${file}.2`, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
});

test('a bundle into a directory that is not there', async () => {
  expect(await failure(writeBundle(items, at.store, join(at.base, 'none', 'x.tar')))).toMatchObject({
    code: 'KX7122',
    params: { reason: 'ENOENT: no such file or directory' },
  });
});
