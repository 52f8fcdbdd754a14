import { execFileSync } from 'node:child_process';
import {
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { changeFile, readKubeconfigFile } from './file.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'kubexm-kubeconfig-')));
const isRoot = process.getuid?.() === 0;
const SOMEBODY = 54_321;
let home = '';
let file = '';
let victim = '';

beforeEach(() => {
  home = mkdtempSync(join(base, 'home-'));
  mkdirSync(join(home, '.kube'));
  file = join(home, '.kube', 'config');
  victim = mkdtempSync(join(base, 'victim-'));
  writeFileSync(join(victim, 'config'), 'not yours\n', { mode: 0o600 });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function untouched(): void {
  expect(readFileSync(join(victim, 'config'), 'utf8')).toBe('not yours\n');
  expect(readdirSync(victim)).toEqual(['config']);
  expect(statSync(join(victim, 'config')).uid).toBe(process.getuid?.());
}

test('it is replaced as a whole, private, and nothing else stays', async () => {
  writeFileSync(file, 'old\n', { mode: 0o644 });
  await changeFile(file, (text, exists) => `${text}${exists}\n`);
  expect(readFileSync(file, 'utf8')).toBe('old\ntrue\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(home, '.kube'))).toEqual(['config']);
});

test('a link under the name that it was once written to is not followed', async () => {
  symlinkSync(join(victim, 'config'), `${file}.${process.pid}`);
  await changeFile(file, () => 'new\n');
  untouched();
  expect(readFileSync(file, 'utf8')).toBe('new\n');
});

test('a directory that becomes a link while it is changed', async () => {
  await changeFile(file, () => {
    renameSync(join(home, '.kube'), join(home, 'moved'));
    symlinkSync(victim, join(home, '.kube'));
    return 'new\n';
  });
  untouched();
  expect(readFileSync(join(home, 'moved', 'config'), 'utf8')).toBe('new\n');
  // The lock went where it was taken.
  expect(readdirSync(join(home, 'moved'))).toEqual(['config']);
});

test('a pipe is refused, not waited for', async () => {
  execFileSync('mkfifo', [file]);
  expect(() => readKubeconfigFile(file)).toThrow('config is not a file');
  await expect(changeFile(file, () => 'new\n')).rejects.toThrow('config is not a file');
});

describe.runIf(isRoot)('as root, for somebody else', () => {
  beforeEach(() => {
    for (const path of [home, join(home, '.kube')]) chownSync(path, SOMEBODY, SOMEBODY);
  });

  test('what is made is theirs', async () => {
    const deep = join(home, 'a', 'b', 'config');
    await changeFile(deep, () => 'new\n');
    for (const path of [deep, join(home, 'a', 'b'), join(home, 'a')]) {
      expect(statSync(path)).toMatchObject({ uid: SOMEBODY, gid: SOMEBODY });
    }
    writeFileSync(file, 'mine\n');
    await changeFile(file, () => 'still mine\n');
    expect(statSync(file).uid).toBe(0);
  });

  const linked = (target: string, link: string): string => {
    symlinkSync(target, link);
    return link;
  };

  test.each([
    ['a file', () => linked(join(victim, 'config'), file)],
    [
      'a directory',
      () => {
        rmSync(join(home, '.kube'), { recursive: true });
        return linked(victim, join(home, '.kube'));
      },
    ],
    ['a link of root', () => linked(join(linked(victim, `${victim}-too`), 'config'), file)],
  ])('their link to %s that is not theirs is refused', async (_name, plant) => {
    lchownSync(plant(), SOMEBODY, SOMEBODY);
    expect(() => readKubeconfigFile(file)).toThrow('belongs to another user');
    await expect(changeFile(file, () => 'new\n')).rejects.toThrow('belongs to another user');
    untouched();
  });

  test('their link to a file of theirs is followed', async () => {
    writeFileSync(join(home, 'dotfile'), 'old\n');
    symlinkSync('../dotfile', file);
    chownSync(join(home, 'dotfile'), SOMEBODY, SOMEBODY);
    lchownSync(file, SOMEBODY, SOMEBODY);
    await changeFile(file, (text) => `${text}new\n`);
    expect(readFileSync(join(home, 'dotfile'), 'utf8')).toBe('old\nnew\n');
    expect(statSync(join(home, 'dotfile')).uid).toBe(SOMEBODY);
    expect(readlinkSync(file)).toBe('../dotfile');
  });
});
