import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KubexmError } from '../model/errors/index.ts';
import type { LockOwner } from '../model/host.ts';
import { clusterLockOwner, lockCluster } from './cluster-lock.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-cluster-lock-'));
  file = join(dir, 'lock');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const owner: LockOwner = {
  run: 'r1',
  cluster: 'demo',
  pipeline: 'create cluster',
  user: 'ann',
  machine: 'desk',
  pid: process.pid,
  since: '2025-01-02T03:04:05Z',
};

function refusal(): KubexmError {
  try {
    lockCluster(file, owner).release();
  } catch (error) {
    if (error instanceof KubexmError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

test('taken once, and again after it was given back', () => {
  const lock = lockCluster(file, owner);
  expect(clusterLockOwner(file)).toEqual(owner);
  expect(refusal()).toMatchObject({ code: 'KX4020', params: { run: 'r1', user: 'ann', pid: process.pid } });
  lock.release();
  expect(clusterLockOwner(file)).toBeUndefined();
  lockCluster(file, owner).release();
});

test('another process has it: who that is; free the moment it is killed', async () => {
  const module = fileURLToPath(new URL('./cluster-lock.ts', import.meta.url));
  const theirs = JSON.stringify({ ...owner, run: 'r2' });
  const script = `const { lockCluster } = await import(${JSON.stringify(module)});
    lockCluster(${JSON.stringify(file)}, ${theirs}); console.log('locked'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  const gone = once(child, 'exit');
  try {
    await once(child.stdout, 'data');
    expect(refusal()).toMatchObject({ code: 'KX4020', params: { run: 'r2' } });
  } finally {
    child.kill('SIGKILL');
  }
  await gone;
  lockCluster(file, owner).release();
});

test('a damaged file is not taken for a lock: its name, the reason, and what to do; removed, it is created again', () => {
  writeFileSync(file, 'this has never been a database, and it is long enough to be looked at as one '.repeat(20));
  const error = refusal();
  expect(error).toMatchObject({ code: 'KX4027', params: { file, reason: 'file is not a database' } });
  expect(refusal()).toMatchObject({ code: 'KX4027' });
  rmSync(file);
  lockCluster(file, owner).release();
});

test('a file that cannot be opened, or has no place', () => {
  mkdirSync(file);
  expect(refusal()).toMatchObject({ code: 'KX4027', params: { file } });
  rmdirSync(file);
  writeFileSync(join(dir, 'flat'), '');
  file = join(dir, 'flat', 'lock');
  expect(refusal()).toMatchObject({
    code: 'KX4027',
    params: { file, reason: expect.stringMatching(/EEXIST|ENOTDIR/) },
  });
});

test('an owner that cannot be written: the lock is not kept', () => {
  mkdirSync(`${file}.owner`);
  expect(refusal()).toMatchObject({ code: 'KX4027', params: { file: `${file}.owner` } });
  rmdirSync(`${file}.owner`);
  const lock = lockCluster(file, owner);
  lock.release();
  expect(existsSync(`${file}.owner`)).toBe(false);
});
