import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BUILD_TIMES, BuildTimes } from './build-times.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-times-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const build = { recipe: 'kubernetes amd64: kubeadm', cold: true, cpuSeconds: 900 };
const warm = { ...build, cold: false };

test('what was never built here counts by its work and the cores; without a download there is only the work', () => {
  const [two, eight] = [2, 8].map((cores) => new BuildTimes(dir, cores).secondsOf(build));
  expect(two).toBe(15 + 500);
  expect(eight).toBe(15 + 125);
  expect(new BuildTimes(dir, 2).secondsOf(warm)).toBe(500);
});

test('what was measured here is preferred, from nothing and not from nothing apart, and scaled by cores', async () => {
  const times = new BuildTimes(dir, 2);
  await times.note(build, 800);
  await times.note(warm, 20);
  expect([times.secondsOf(build), times.secondsOf(warm)]).toEqual([800, 20]);
  expect(new BuildTimes(dir, 4).secondsOf(build)).toBe(400);
  expect(readdirSync(dir)).toEqual([BUILD_TIMES]);
});

test('a slow machine is slow at what it has not built yet, within reason', async () => {
  const other = { recipe: 'runc amd64: runc', cold: true, cpuSeconds: 90 };
  const times = new BuildTimes(dir, 2);
  await times.note(build, 1030);
  expect(times.secondsOf(other)).toBeCloseTo(2 * 65);
  // A build that stood still says nothing about others; one that was warm says nothing either.
  await times.note(build, 1e6);
  expect(times.secondsOf(other)).toBeCloseTo(10 * 65);
  await times.note(build, 515);
  await times.note(warm, 3);
  expect(times.secondsOf(other)).toBeCloseTo(65);
});

test.each([
  '',
  '{',
  '[]',
  'null',
  '{"version":2}',
  '{"version":1,"builds":{"kubernetes amd64: kubeadm from nothing":{"seconds":-1}}}',
])('a damaged file %j says nothing, and is written again', async (text) => {
  writeFileSync(join(dir, BUILD_TIMES), text);
  const times = new BuildTimes(dir, 2);
  expect(times.secondsOf(build)).toBe(515);
  await times.note(build, 700);
  expect(times.secondsOf(build)).toBe(700);
  expect(JSON.parse(readFileSync(join(dir, BUILD_TIMES), 'utf8'))).toMatchObject({ version: 1 });
});

test('a time that cannot be kept is no failure', async () => {
  writeFileSync(join(dir, 'file'), '');
  await new BuildTimes(join(dir, 'file'), 2).note(build, 700);
  expect(readdirSync(dir)).toEqual(['file']);
});
