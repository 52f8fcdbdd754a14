import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { replaceFile, replaceFileSync } from './files.ts';
import { tryLock, waitForLock, withLock } from './lock.ts';

function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), 'kubexm-lock-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

const never = new AbortController().signal;

/** Tries to take the lock from another process. */
async function elsewhere(file: string): Promise<string> {
  const module = fileURLToPath(new URL('./lock.ts', import.meta.url));
  const code = `import { tryLock } from ${JSON.stringify(module)}; console.log(tryLock(${JSON.stringify(file)}) ? 'taken' : 'busy');`;
  const words = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code];
  return (await promisify(execFile)(process.execPath, words)).stdout.trim();
}

test('a lock keeps out other processes and other parts of this one, until it is released', async () => {
  const file = join(scratch(), 'lock');
  const lock = tryLock(file);
  expect(tryLock(file)).toBeUndefined();
  // Who has tried in vain must not have given up the lock for its holder.
  expect(await elsewhere(file)).toBe('busy');
  lock?.release();
  expect(await elsewhere(file)).toBe('taken');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('who waits gets it when it is free, and can give up', async () => {
  const file = join(scratch(), 'lock');
  const lock = tryLock(file);
  await expect(waitForLock(file, AbortSignal.timeout(100))).rejects.toThrow();
  const waiting = waitForLock(file, never);
  lock?.release();
  (await waiting).release();
  expect(await elsewhere(file)).toBe('taken');
});

test('short work is done with the lock; what it throws releases it', () => {
  const file = join(scratch(), 'lock');
  expect(withLock(file, 5, () => (tryLock(file) === undefined ? 'held' : 'free'))).toBe('held');
  const broken = () => {
    throw new Error('broken');
  };
  expect(() => withLock(file, 5, broken)).toThrow('broken');
  const lock = tryLock(file);
  expect(() => withLock(file, 0, () => 0)).toThrow('locked by another process');
  lock?.release();
});

test('a file is replaced whole, with its mode, and leaves no draft where it cannot be', async () => {
  const dir = scratch();
  const file = join(dir, 'note');
  replaceFileSync(file, 'one', { mode: 0o644 });
  expect(statSync(file).mode & 0o777).toBe(0o644);
  await replaceFile(file, 'two');
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['two', 0o600]);
  const blocked = join(dir, 'note', 'below');
  await expect(replaceFile(blocked, 'x')).rejects.toThrow('ENOTDIR');
  expect(() => replaceFileSync(dir, 'x')).toThrow();
  expect(existsSync(`${dir}.new`)).toBe(false);
});
