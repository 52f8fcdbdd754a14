import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTar } from './tar-reader.ts';

const LONG = `${'directory/'.repeat(12)}${'name'.repeat(30)}`;
const BIG = Buffer.alloc(300_000, 'x');

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-tar-'));
  mkdirSync(join(dir, dirname(LONG)), { recursive: true });
  writeFileSync(join(dir, LONG), 'long');
  writeFileSync(join(dir, 'big'), BIG, { mode: 0o755 });
  writeFileSync(join(dir, 'empty'), '');
  writeFileSync(join(dir, 'ümlaut'), 'ü');
  linkSync(join(dir, 'big'), join(dir, 'hard'));
  symlinkSync(`../${'away/'.repeat(30)}`, join(dir, 'soft'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function* inPieces(data: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < data.length; at += size) yield data.subarray(at, at + size);
}

async function listing(data: Buffer, size: number): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const member of readTar(inPieces(data, size))) {
    const chunks: Buffer[] = [];
    for await (const chunk of member.content) chunks.push(chunk);
    const what = member.kind === 'file' ? Buffer.concat(chunks).toString() : member.target;
    found.set(member.path, `${member.kind} ${member.mode.toString(8)} ${what}`);
  }
  return found;
}

function packed(...options: readonly string[]): Buffer {
  const { stdout, status } = spawnSync('tar', ['-c', '--sort=name', ...options, '-C', dir, '.'], {
    maxBuffer: 1 << 24,
  });
  expect(status).toBe(0);
  return stdout;
}

describe.each(['gnu', 'pax'])('what tar writes as %s', (format) => {
  test.each([1 << 16, 1000, 7])('in pieces of %d', async (size) => {
    const found = await listing(packed(`--format=${format}`), size);
    expect(found.get('big')).toBe(`file 755 ${BIG.toString()}`);
    expect(found.get('empty')).toMatch(/^file \d+ $/);
    expect(found.get('ümlaut')).toMatch(/^file \d+ ü$/);
    expect(found.get('hard')).toMatch(/^hard-link .*big$/);
    expect(found.get('soft')).toBe(`link 777 ../${'away/'.repeat(30)}`);
    expect(found.get(LONG)).toMatch(/^file \d+ long$/);
    expect(found.get('directory')).toMatch(/^directory/);
  });
});

test('contents that nobody reads are passed over', async () => {
  const paths: string[] = [];
  for await (const { path } of readTar(inPieces(packed(), 1000))) paths.push(path);
  expect(paths).toContain('soft');
});

test.each([
  ['cut inside a file', (data: Buffer) => data.subarray(0, 5000), /too early/],
  ['cut before the end mark', (data: Buffer) => data.subarray(0, 512), /too early/],
  ['a flipped bit in a header', (data: Buffer) => Buffer.concat([Buffer.from([1]), data.subarray(1)]), /no tar/],
  ['something else', () => Buffer.alloc(2048, 'a'), /no tar/],
])('%s', async (_, spoil, reason) => {
  await expect(listing(spoil(packed()), 1000)).rejects.toThrow(reason);
});
