import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { mergeKubeconfig, unmergeKubeconfig } from '../kubeconfig/merged.ts';
import { makeWorkDir, requireOwnWorkDir } from './work-dir.ts';

const base = mkdtempSync(join(tmpdir(), 'kubexm-work-dir-'));
const PARTS = ['.kubexm', '.kubexm/demo', '.kubexm/demo/runs'];
let baseDir = '';

beforeEach(() => {
  baseDir = mkdtempSync(join(base, 'at-'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const refused = (reason: RegExp) =>
  expect.objectContaining({
    code: 'KX8008',
    params: expect.objectContaining({ reason: expect.stringMatching(reason) }),
  });

test('it is made private, and made private again', () => {
  makeWorkDir(baseDir, 'demo');
  for (const part of PARTS) chmodSync(join(baseDir, part), 0o755);
  makeWorkDir(baseDir, 'demo');
  for (const part of PARTS) expect(statSync(join(baseDir, part)).mode & 0o777).toBe(0o700);
});

test.each(PARTS)('a link in place of %s is refused, and nothing is written behind it', (part) => {
  const elsewhere = mkdtempSync(join(base, 'elsewhere-'));
  chmodSync(elsewhere, 0o755);
  mkdirSync(join(baseDir, part, '..'), { recursive: true });
  symlinkSync(elsewhere, join(baseDir, part));
  expect(() => makeWorkDir(baseDir, 'demo')).toThrow(refused(/it is a link/));
  expect(() => requireOwnWorkDir(baseDir, 'demo')).toThrow(refused(/it is a link/));
  expect(readdirSync(elsewhere)).toEqual([]);
  expect(statSync(elsewhere).mode & 0o777).toBe(0o755);
});

test('a link that leads nowhere, and a file', () => {
  symlinkSync(join(base, 'nowhere'), join(baseDir, '.kubexm'));
  expect(() => makeWorkDir(baseDir, 'demo')).toThrow(refused(/it is a link/));
  rmSync(join(baseDir, '.kubexm'));
  writeFileSync(join(baseDir, '.kubexm'), '');
  expect(() => makeWorkDir(baseDir, 'demo')).toThrow(refused(/it is not a directory/));
});

describe.runIf(process.getuid?.() === 0)('somebody else’s', () => {
  test.each(PARTS)('%s is refused, and stays as it is', (part) => {
    makeWorkDir(baseDir, 'demo');
    const path = join(baseDir, part);
    chmodSync(path, 0o755);
    chownSync(path, 54_321, 54_321);
    expect(() => makeWorkDir(baseDir, 'demo')).toThrow(refused(/the user with id 54321, kubexm runs as 0/));
    expect(statSync(path)).toMatchObject({ uid: 54_321, mode: 0o40755 });
  });

  test('kubeconfigs are neither merged from there nor taken out as it says', async () => {
    const { kubeconfig } = makeWorkDir(baseDir, 'demo');
    writeFileSync(kubeconfig, 'clusters: []\n');
    const place = { cluster: 'demo', baseDir };
    chownSync(join(baseDir, '.kubexm'), 54_321, 54_321);
    const user = { env: { HOME: baseDir }, cwd: baseDir };
    await expect(mergeKubeconfig(place, user)).rejects.toMatchObject({ code: 'KX8008' });
    await expect(unmergeKubeconfig(place)).rejects.toMatchObject({ code: 'KX8008' });
  });
});
