import { spawnSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { member, tarOf } from '../../../../test/supply/source-world.ts';
import { parseHeader } from './header.ts';
import { type Member, untar } from './untar.ts';

const base = mkdtempSync(join(tmpdir(), 'kubexm-untar-'));
const wide = { members: 1000, bytes: 100_000_000 };
const long = `${'directory-'.repeat(12)}/${'name-'.repeat(30)}`;

afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Reads an archive that comes in pieces of this size. */
async function read(
  archive: Buffer,
  limits = wide,
  piece = 1000,
): Promise<Map<string, Member & { readonly data: string }>> {
  const source = async function* () {
    for (let i = 0; i < archive.length; i += piece) yield archive.subarray(i, i + piece);
  };
  const found = new Map<string, Member & { readonly data: string }>();
  await untar(source(), limits, async (one, body) => {
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk);
    found.set(one.path, { ...one, data: Buffer.concat(chunks).toString() });
  });
  return found;
}

describe('what tar writes', () => {
  beforeAll(() => {
    const dir = join(base, 'tree');
    mkdirSync(join(dir, 'bin'), { recursive: true });
    mkdirSync(join(dir, long, '..'), { recursive: true });
    writeFileSync(join(dir, 'bin/one'), 'one');
    writeFileSync(join(dir, 'bin/empty'), '');
    writeFileSync(join(dir, 'bin/block'), 'x'.repeat(512));
    writeFileSync(join(dir, long), 'long');
    writeFileSync(join(dir, 'bin/ümläut'), 'u');
    symlinkSync('../../etc/passwd', join(dir, 'bin/link'));
    symlinkSync(`../${'away/'.repeat(30)}`, join(dir, 'bin/far'));
    linkSync(join(dir, 'bin/one'), join(dir, 'bin/two'));
    chmodSync(join(dir, 'bin/block'), 0o4750);
  });

  test.each(['gnu', 'pax', 'oldgnu'])('%s', async (format) => {
    const file = join(base, `${format}.tar`);
    const args = ['--format', format, '--sort=name', '-cf', file, '-C', join(base, 'tree'), '.'];
    expect(spawnSync('tar', args).status).toBe(0);
    for (const piece of [100, 512, 7777]) {
      const found = await read(readFileSync(file), wide, piece);
      expect(found.get('bin/one')).toMatchObject({ path: 'bin/one', kind: 'file', size: 3, target: '', data: 'one' });
      expect(found.get('bin/empty')?.data).toBe('');
      expect(found.get('bin/block')?.data).toBe('x'.repeat(512));
      expect(found.get(long)?.data).toBe('long');
      expect(found.get('bin/ümläut')?.data).toBe('u');
      expect(found.get('bin/block')?.mode).toBe(0o4750);
      expect(found.get('bin/link')).toMatchObject({ kind: 'link', size: 0, target: '../../etc/passwd' });
      expect(found.get('bin/far')?.target).toBe(`../${'away/'.repeat(30)}`);
      expect(found.get('bin/two')).toMatchObject({ kind: 'hard-link', size: 0, target: 'bin/one' });
      expect(found.get('bin')?.kind).toBe('directory');
      expect(found.has('')).toBe(false);
    }
  });

  test('names that ustar splits', async () => {
    const file = join(base, 'ustar.tar');
    const name = `${'a'.repeat(90)}/${'b'.repeat(90)}`;
    mkdirSync(join(base, 'ustar', 'a'.repeat(90)), { recursive: true });
    writeFileSync(join(base, 'ustar', name), 'split');
    expect(spawnSync('tar', ['--format', 'ustar', '-cf', file, '-C', join(base, 'ustar'), name]).status).toBe(0);
    expect((await read(readFileSync(file))).get(name)?.data).toBe('split');
  });
});

test('what nobody reads is passed over', async () => {
  const archive = await tarOf([member('a', 'x'.repeat(3000)), member('b', '')]);
  const paths: string[] = [];
  const source = async function* () {
    yield archive;
  };
  await untar(source(), wide, async ({ path }) => void paths.push(path));
  expect(paths).toEqual(['a', 'b']);
});

test('whatever goes wrong, the source is closed', async () => {
  let told = false;
  const source = async function* () {
    try {
      for (;;) yield Buffer.alloc(2048, 'a');
    } finally {
      told = true;
    }
  };
  await expect(untar(source(), wide, async () => undefined)).rejects.toThrow('no tar');
  expect(told).toBe(true);
});

describe('what means harm, or is damaged', () => {
  test.each(['../x', 'a/../../x', '/etc/x', 'a/..'])('%s', async (path) => {
    await expect(read(await tarOf([member(path, 'x')]))).rejects.toThrow(/leads out of it/);
  });

  test('more members or bytes than anybody wants', async () => {
    const many = await tarOf(Array.from({ length: 11 }, (_, i) => member(`f${i}`, '')));
    await expect(read(many, { members: 10, bytes: 1e6 })).rejects.toThrow('more than 10 members');
    const large = await tarOf([member('f', 'x'.repeat(100_000))]);
    await expect(read(large, { members: 10, bytes: 50_000 })).rejects.toThrow('more than 50000 bytes');
  });

  test('cut anywhere', async () => {
    const whole = await tarOf([member('a', 'x'.repeat(600)), member(long, 'y'.repeat(600))]);
    for (let length = 0; length < whole.length - 1024; length += 100) {
      await expect(read(whole.subarray(0, length)), `${length}`).rejects.toThrow(/ends too early/);
    }
  });

  test('any flipped bit of a header', async () => {
    const whole = await tarOf([member('a', 'x')]);
    for (let at = 0; at < 512; at += 7) {
      const bad = Buffer.from(whole);
      bad[at] = (bad[at] ?? 0) ^ 1;
      await expect(read(bad), `${at}`).rejects.toThrow();
    }
  });

  test('a header about a header that never ends', async () => {
    const whole = await tarOf([member(long, 'x')]);
    const bad = Buffer.from(whole);
    bad.write('77777777777', 124, 'latin1');
    bad.write('        ', 148, 'latin1');
    const sum = bad.subarray(0, 512).reduce((total, byte) => total + byte, 0);
    bad.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    expect(parseHeader(bad.subarray(0, 512))).toMatchObject({ type: 'x', size: 0o77777777777 });
    await expect(read(bad)).rejects.toThrow('a header that is too long');
  });
});
