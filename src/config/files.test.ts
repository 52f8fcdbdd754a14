import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BASE } from '../../test/configs/cases.ts';
import { loadConfig } from './load.ts';
import { renderProblems } from './render.ts';

let dir = '';
const at = (name: string): string => join(dir, name);
const isRoot = process.getuid?.() === 0;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-config-'));
  writeFileSync(at('good.yaml'), BASE);
  writeFileSync(at('crlf.yaml'), `\ufeff${BASE.replaceAll('\n', '\r\n')}`);
  writeFileSync(at('big.yaml'), Buffer.alloc(2 * 1024 * 1024, 0x23));
  writeFileSync(at('utf16le.yaml'), Buffer.from(`\ufeff${BASE}`, 'utf16le'));
  writeFileSync(at('utf16.yaml'), Buffer.from(BASE, 'utf16le'));
  // "# 集群" in GBK.
  writeFileSync(
    at('gbk.yaml'),
    Buffer.concat([Buffer.from('kind: Cluster\n# '), Buffer.from([0xbc, 0xaf, 0xc8, 0xba]), Buffer.from(`\n${BASE}`)]),
  );
  writeFileSync(at('latin1.yaml'), Buffer.from('kind: Cl\xfcster\n', 'latin1'));
  writeFileSync(at('replacement.yaml'), `# \ufffd is written here\n${BASE}`);
  writeFileSync(at('nul.yaml'), `${BASE}\0`);
  writeFileSync(at('gzip.yaml'), Buffer.from([0x1f, 0x8b, 8, 1, 2, 3]));
  writeFileSync(at('png.yaml'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]));
  writeFileSync(at('random.yaml'), Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 256)));
  writeFileSync(at('empty.yaml'), '');
  writeFileSync(at('secret.yaml'), BASE);
  chmodSync(at('secret.yaml'), 0o000);
  mkdirSync(at('directory'));
  symlinkSync('loop.yaml', at('loop.yaml'));
  symlinkSync('nowhere.yaml', at('dangling.yaml'));
  symlinkSync('good.yaml', at('link.yaml'));
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', at('pipe')]);
});

afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

test.each([
  ['missing.yaml', 'KX2001'],
  ['good.yaml/inside', 'KX2001'],
  ['dangling.yaml', 'KX2001'],
  ['directory', 'KX2002'],
  ['pipe', 'KX2004'],
  ['loop.yaml', 'KX2005'],
  ['big.yaml', 'KX2006'],
  ['gbk.yaml', 'KX2007'],
  ['latin1.yaml', 'KX2007'],
  ['utf16le.yaml', 'KX2008'],
  ['utf16.yaml', 'KX2008'],
  ['nul.yaml', 'KX2009'],
  ['gzip.yaml', 'KX2009'],
  ['png.yaml', 'KX2009'],
  ['random.yaml', 'KX2009'],
  ['empty.yaml', 'KX2011'],
  ['x'.repeat(300), 'KX2016'],
  ['a\0b', 'KX2016'],
])('%s gives %s', async (name, code) => {
  const started = performance.now();
  const { cluster, problems, source } = await loadConfig(at(name));
  expect(problems.map((one) => one.code)).toEqual([code]);
  expect(cluster).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(5000);
  const shown = renderProblems(problems, source, { lang: 'en', color: false });
  expect(shown).toContain(code);
  expect(shown).toContain('fix: ');
  expect(shown).not.toMatch(/\bat .*\.ts:|node:internal/);
});

test('devices are not read', async () => {
  expect((await loadConfig('/dev/zero')).problems[0]?.code).toBe('KX2004');
});

test('a file without the right to read it', async (context) => {
  if (isRoot) {
    try {
      process.seteuid?.(65_534);
    } catch {
      context.skip('root may read everything, and this process cannot become another user');
    }
  }
  try {
    expect((await loadConfig(at('secret.yaml'))).problems[0]?.code).toBe('KX2003');
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});

test.each(['good.yaml', 'crlf.yaml', 'link.yaml', 'replacement.yaml'])('%s loads', async (name) => {
  const { cluster, problems, source } = await loadConfig(at(name));
  expect(problems).toEqual([]);
  expect(cluster?.metadata.name).toBe('demo');
  expect(source.file).toBe(at(name));
});

test('the place of a wrong byte is found', async () => {
  const { problems } = await loadConfig(at('gbk.yaml'));
  expect(problems[0]?.at).toMatchObject({ line: 2, column: 3 });
  expect(problems[0]?.params).toEqual({ byte: '0xbc' });
});
