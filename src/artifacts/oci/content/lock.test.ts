import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { locked } from './lock.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-lock-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const { signal } = new AbortController();

/** A process that holds the lock until it is killed. It prints `held` when it has it, and can be made to end by itself. */
function holder(file: string, work: string) {
  const script = `import { locked } from ${JSON.stringify(new URL('./lock.ts', import.meta.url).href)};
    const { signal } = new AbortController();
    await locked(${JSON.stringify(file)}, signal, async () => { console.log('held'); ${work} });`;
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const held = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return { child, held, ended };
}

test('of several who wait each gets it, one after the other', async () => {
  const file = join(dir, 'several');
  const { promise: hold, resolve: release } = Promise.withResolvers<void>();
  let inside = 0;
  const first = locked(file, signal, () => hold);
  const waiting = Array.from({ length: 6 }, (_, at) =>
    locked(file, signal, async () => {
      inside += 1;
      expect(inside).toBe(1);
      await new Promise((done) => setTimeout(done, 5));
      inside -= 1;
      return at;
    }),
  );
  await new Promise((done) => setTimeout(done, 300));
  release();
  await first;
  expect(await Promise.all(waiting)).toEqual([0, 1, 2, 3, 4, 5]);
});

test('processes that wait get it when the one that has it is killed', async () => {
  const file = join(dir, 'killed');
  const first = holder(file, 'await new Promise((done) => setTimeout(done, 1e6));');
  await first.held;
  const waiting = Array.from({ length: 3 }, () => holder(file, ''));
  const own = [1, 2].map(() => locked(file, signal, async () => 'had'));
  await new Promise((done) => setTimeout(done, 1000));
  first.child.kill('SIGKILL');
  expect(await Promise.all(own)).toEqual(['had', 'had']);
  await Promise.all(waiting.map(({ ended }) => ended));
  expect(waiting.map(({ child }) => child.exitCode)).toEqual([0, 0, 0]);
});

test('processes that come at the same moment do not keep each other out', async () => {
  const file = join(dir, 'rush');
  const again = `for (let i = 0; i < 200; i += 1) await locked(${JSON.stringify(file)}, signal, async () => {});`;
  const rush = Array.from({ length: 3 }, (_, at) => holder(join(dir, `own-${at}`), again));
  await Promise.all(rush.map(({ ended }) => ended));
  expect(rush.map(({ child }) => child.exitCode)).toEqual([0, 0, 0]);
});

test('who waits can give up', async () => {
  const file = join(dir, 'abort');
  const { promise: hold, resolve: release } = Promise.withResolvers<void>();
  const first = locked(file, signal, () => hold);
  const stop = new AbortController();
  const second = locked(file, stop.signal, async () => 'had');
  stop.abort(new Error('enough'));
  await expect(second).rejects.toThrow();
  release();
  await first;
  expect(await locked(file, signal, async () => 'had')).toBe('had');
});
