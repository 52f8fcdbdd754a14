import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Download, Store } from './store.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kx-store-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const index = { uri: 'http://m.example/InRelease', file: 'a/dists/InRelease', fixed: false };
const deb = { uri: 'http://m.example/x.deb', file: 'a/pool/x.deb', fixed: true };

function counting(answer: Awaited<ReturnType<Download>> = 'done'): { download: Download; asked: string[] } {
  const asked: string[] = [];
  const download: Download = async (uri, file) => {
    asked.push(uri);
    if (answer === 'done') writeFileSync(file, `${uri} ${asked.length}`);
    return answer;
  };
  return { download, asked };
}

test('many machines that want the same get one download', async () => {
  const { download, asked } = counting();
  const store = new Store(dir, download);
  const files = await Promise.all([store.get(deb), store.get(deb), store.get(deb)]);
  expect(new Set(files).size).toBe(1);
  expect(asked).toEqual([deb.uri]);
});

test('packages stay, indexes are fetched again after a while', async () => {
  const { download, asked } = counting();
  let now = Date.now();
  const store = new Store(dir, download, () => now);
  for (const one of [deb, index]) await store.get(one);
  now += 60_000;
  for (const one of [deb, index]) await store.get(one);
  expect(asked).toHaveLength(2);
  now += 3_600_000;
  for (const one of [deb, index]) await store.get(one);
  expect(asked).toEqual([deb.uri, index.uri, index.uri]);
});

test('without the world an old index is better than none', async () => {
  let now = Date.now();
  const first = await new Store(dir, counting().download, () => now).get(index);
  now += 3_600_000;
  const store = new Store(dir, counting('failed').download, () => now);
  expect(await store.get(index)).toBe(first);
  expect(readFileSync(first!, 'utf8')).toBe(`${index.uri} 1`);
  await expect(store.get(deb)).rejects.toThrow(deb.uri);
});

test('what the mirror does not have is absent', async () => {
  expect(await new Store(dir, counting('absent').download).get(deb)).toBeUndefined();
});

test('at most four downloads at once, and all come in the end', async () => {
  let running = 0;
  let most = 0;
  const store = new Store(dir, async (uri, file) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    writeFileSync(file, uri);
    running--;
    return 'done';
  });
  const wanted = Array.from({ length: 20 }, (_, i) => ({ ...deb, file: `a/pool/${i}.deb` }));
  expect(await Promise.all(wanted.map((one) => store.get(one)))).not.toContain(undefined);
  expect(most).toBe(4);
});
