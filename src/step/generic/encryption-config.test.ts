import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { ShellHost, variants } from '../../../test/contract/shell-host.ts';
import type { StepIo } from '../../plan/step.ts';
import { type EncryptionConfig, encryptionConfig } from './encryption-config.ts';

const scratch = mkdtempSync(join(tmpdir(), 'kubexm-encryption-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const { probe, judge, apply } = encryptionConfig.definition;
const io = { signal: new AbortController().signal } as StepIo;
let want: EncryptionConfig;
let host: ShellHost;
let count = 0;
beforeEach(() => {
  want = { path: join(scratch, String(count++), 'encryption.yaml'), provider: 'secretbox', resources: ['secrets'] };
  host = new ShellHost(variants(scratch)[0]!, scratch);
});
const look = async (one = want) => judge!(await host.run(probe!(one)), one);
const make = async (one = want) => await apply(host, one, io);
const text = () => readFileSync(want.path, 'utf8');

test('a key of 32 bytes is made once, for its owner alone', async () => {
  expect(await look()).toMatchObject({ verdict: 'needed' });
  await make();
  const first = text();
  expect(Buffer.from(/secret: (\S+)/.exec(first)?.[1] ?? '', 'base64')).toHaveLength(32);
  expect(first).toMatch(/secretbox:[\s\S]*identity: \{\}/);
  expect(statSync(want.path).mode & 0o777).toBe(0o600);
  expect(await look()).toMatchObject({ verdict: 'satisfied', output: { path: want.path } });
  await make();
  expect(text()).toBe(first);
});

test('other resources keep the key; a file that others can read does too', async () => {
  await make();
  const key = /secret: (\S+)/.exec(text())?.[1] ?? '';
  const more = { ...want, resources: ['secrets', 'configmaps'] };
  expect(await look(more)).toMatchObject({ verdict: 'needed' });
  await make(more);
  expect(text()).toContain('configmaps');
  chmodSync(want.path, 0o644);
  expect(await look(more)).toMatchObject({ verdict: 'needed', diff: [{ to: '0600' }] });
  await make(more);
  expect(statSync(want.path).mode & 0o777).toBe(0o600);
  expect(text()).toContain(key);
});

test.each([
  ['damaged', 'resources: ['],
  ['without a key', 'resources: []\n'],
  ['with a short key', 'resources: [{providers: [{secretbox: {keys: [{secret: YWJj}]}}]}]\n'],
])('a file that is %s is refused, and stays', async (_, content) => {
  await make();
  writeFileSync(want.path, content);
  await expect(look()).rejects.toMatchObject({ code: 'KX5110' });
  await expect(make()).rejects.toMatchObject({ code: 'KX5110' });
  expect(text()).toBe(content);
});

test('neither the probe nor the difference says the key', async () => {
  await make();
  const key = /secret: (\S+)/.exec(text())?.[1] ?? '-';
  const seen = await host.run(probe!(want));
  const verdict = await look({ ...want, resources: ['configmaps'] });
  expect(JSON.stringify([seen, verdict])).not.toContain(key);
});

test('it is made on the local machine alone', async () => {
  const other = Object.assign(host, { name: 'node1' });
  await expect(apply(other, want, io)).rejects.toThrow(/local machine/);
});
