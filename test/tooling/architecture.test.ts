import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const walk = page.slice(page.indexOf('## The walk'), page.indexOf('## What clusters are made of'));
const hops = [...walk.matchAll(/^(\d+)\. `(src\/[^`]+)` → `(\w+)`/gm)].map(([, number, file = '', name = '']) => ({
  number: Number(number),
  file,
  name,
}));

test('from the command line to the shell of a host in at most 25 hops', () => {
  expect(hops.map(({ number }) => number)).toEqual(hops.map((_, i) => i + 1));
  expect(hops.length).toBeGreaterThan(20);
  expect(hops.length).toBeLessThanOrEqual(25);
  expect([hops[0]?.file, hops.at(-1)?.file]).toEqual(['src/cli/main.ts', 'src/host/shell.ts']);
});

test.each(hops.map(({ number, file, name }) => [number, file, name] as const))('hop %i: %s → %s', (_, file, name) => {
  expect(existsSync(join(root, file))).toBe(true);
  expect(readFileSync(join(root, file), 'utf8')).toMatch(new RegExp(`\\b${name}\\b`));
});

test('every hop is reached from an earlier one, which names it', () => {
  const texts = hops.map(({ file }) => readFileSync(join(root, file), 'utf8'));
  // The command is found by what was typed.
  const named = hops.filter(({ file }) => !file.startsWith('src/cli/commands/'));
  const lost = named.filter(
    (hop) => hop.number > 1 && !texts.slice(0, hop.number - 1).some((text) => text.includes(hop.name)),
  );
  expect(lost.map(({ file }) => file)).toEqual([]);
});

test('every file that the page names exists', () => {
  const named = [...page.matchAll(/`(src\/[\w./-]+\.ts)`/g)].map(([, file = '']) => file);
  expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  const folders = [...page.matchAll(/`(src\/[\w/-]+)`/g)].map(([, folder = '']) => folder);
  expect(folders.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
});

test('every file of the engine that the page names exists', () => {
  const table = page.slice(page.indexOf('## 5.'), page.indexOf('## 6.'));
  const named = [...table.matchAll(/^\|([^|]*)\|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`([\w-]+\.ts)`/g)]);
  expect(named.length).toBeGreaterThan(10);
  expect(named.map(([, file = '']) => file).filter((file) => !existsSync(join(root, 'src/engine', file)))).toEqual([]);
});
