import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCache } from '../cache/cache.ts';
import { BuildSlots } from './build-slots.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kubexm-slots-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const io = (signal = new AbortController().signal) => ({
  signal,
  env: {},
  progress: () => undefined,
  say: () => undefined,
});

/** Builds that the test lets go, and the order in which they began. */
async function slots(count: number) {
  const all = new BuildSlots(await openCache(dir), count);
  const begun: string[] = [];
  const go = new Map<string, () => void>();
  const build = (name: string, work: number, signal?: AbortSignal) =>
    all.run(work, io(signal), () => {
      begun.push(name);
      return new Promise<void>((resolve) => void go.set(name, resolve));
    });
  return { begun, build, end: (name: string) => go.get(name)?.() };
}

test('few at a time, and of those that wait the longest first', async () => {
  const { begun, build, end } = await slots(2);
  const all = [build('a', 1), build('b', 1), build('small', 10), build('big', 600), build('medium', 100)];
  await expect.poll(() => begun.toSorted()).toEqual(['a', 'b']);
  end('a');
  await expect.poll(() => begun.at(2)).toBe('big');
  end('b');
  await expect.poll(() => begun.at(3)).toBe('medium');
  end('big');
  await expect.poll(() => begun.at(4)).toBe('small');
  for (const name of ['small', 'medium']) end(name);
  await Promise.all(all);
});

test('one that is cancelled while it waits leaves its place to others', async () => {
  const { begun, build, end } = await slots(1);
  const stop = new AbortController();
  const first = build('first', 1);
  const cancelled = build('cancelled', 100, stop.signal);
  const last = build('last', 1);
  await expect.poll(() => begun).toEqual(['first']);
  stop.abort(new Error('enough'));
  await expect(cancelled).rejects.toThrow('enough');
  end('first');
  await expect.poll(() => begun).toEqual(['first', 'last']);
  end('last');
  await Promise.all([first, last]);
});
