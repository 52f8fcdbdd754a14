import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mustBeStatic, whyNotStatic } from './elf.ts';

const PT_LOAD = 1;
const PT_INTERP = 3;

function program(machine: number, types: readonly number[], type = 2): { head: Buffer; table: Buffer } {
  const head = Buffer.alloc(64);
  head.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  head.writeUInt16LE(type, 16);
  head.writeUInt16LE(machine, 18);
  head.writeBigUInt64LE(64n, 32);
  head.writeUInt16LE(types.length, 56);
  const table = Buffer.alloc(56 * types.length);
  for (const [at, one] of types.entries()) table.writeUInt32LE(one, at * 56);
  return { head, table };
}

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kubexm-elf-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe('whyNotStatic', () => {
  const good = program(62, [PT_LOAD, PT_LOAD]);
  const wide = program(62, [PT_LOAD]);
  wide.head[4] = 1;
  it.each([
    ['a static program', good, 'amd64', undefined],
    ['a static program that may lie anywhere', program(183, [PT_LOAD], 3), 'arm64', undefined],
    ['for another processor', good, 'arm64', 'it is for another processor (62) than arm64'],
    ['with an interpreter', program(62, [PT_LOAD, PT_INTERP]), 'amd64', 'it is linked dynamically'],
    ['of 32 bits', wide, 'amd64', 'it is not for a 64-bit little-endian processor'],
    ['an object', program(62, [], 1), 'amd64', 'it cannot be started (an object or a core file)'],
    ['a script', { head: Buffer.from('#!/bin/sh\n'), table: good.table }, 'amd64', 'it is no program (no ELF header)'],
  ] as const)('%s', (_, { head, table }, arch, reason) => {
    expect(whyNotStatic(head, table, arch)).toBe(reason);
  });
});

describe('mustBeStatic', () => {
  it('looks into the file', async () => {
    const [right, wrong] = [program(62, [PT_LOAD]), program(62, [PT_LOAD, PT_INTERP])];
    await writeFile(join(dir, 'right'), Buffer.concat([right.head, right.table]));
    await writeFile(join(dir, 'wrong'), Buffer.concat([wrong.head, wrong.table]));
    await writeFile(join(dir, 'empty'), '');
    await mustBeStatic(join(dir, 'right'), 'right', 'amd64');
    await expect(mustBeStatic(join(dir, 'wrong'), 'wrong', 'amd64')).rejects.toMatchObject({ code: 'KX7038' });
    await expect(mustBeStatic(join(dir, 'empty'), 'empty', 'amd64')).rejects.toMatchObject({ code: 'KX7038' });
  });

  it('refuses the program that runs this test, which has an interpreter', async () => {
    const arch = process.arch === 'x64' ? 'amd64' : 'arm64';
    await expect(mustBeStatic(process.execPath, 'node', arch)).rejects.toThrow('linked dynamically');
  });
});
