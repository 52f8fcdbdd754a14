import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { Bench, check, io, scratch } from '../../../test/contract/bench.ts';
import { put } from '../../../test/contract/case.ts';
import { snapshot } from '../../../test/contract/tree.ts';
import { ensure } from '../../../test/rig/certificate-run.ts';
import { openssl } from '../../../test/rig/foreign-ca.ts';
import { generateKey, publicKeyOf } from '../../pki/index.ts';
import { keyPair } from './key-pair.ts';

const bench = new Bench(scratch('key-pair'));
const [shell] = bench.shells;
if (shell === undefined) throw new Error('no shell');
const host = bench.host(shell);
const step = keyPair.definition;
const key = await generateKey('ecdsa-p256');

let directory: string;
beforeEach(() => {
  directory = bench.dir('kept');
});
const file = (name: string) => join(directory, name);

/** A key that needs a passphrase. */
function encrypted(): string {
  put(file('plain'), key, 0o600);
  return openssl('pkey', '-in', file('plain'), '-aes256', '-passout', 'pass:secret');
}

// A directory in place of the file cannot be read by anybody, root included.
const unusable: readonly (readonly [string, () => void])[] = [
  ['damaged', () => put(file('sa.key'), key.slice(0, 80), 0o600)],
  ['empty', () => put(file('sa.key'), '', 0o600)],
  ['encrypted', () => put(file('sa.key'), encrypted(), 0o600)],
  ['not readable', () => mkdirSync(file('sa.key'), { recursive: true })],
];

test.each(unusable)('a key that is %s is refused and stays, with its public half or without', async (_, prepare) => {
  prepare();
  const want = { directory, name: 'sa' };
  for (const before of [() => undefined, () => put(file('sa.pub'), publicKeyOf(key), 0o600)]) {
    before();
    const there = snapshot(directory);
    await expect(check(host, step, want)).rejects.toMatchObject({ code: 'KX5101', params: { path: file('sa.key') } });
    await expect(step.apply(host, want, io)).rejects.toMatchObject({ code: 'KX5101' });
    expect(snapshot(directory)).toEqual(there);
  }
});

test('a key that is gone is refused where its public half is there', async () => {
  put(file('sa.pub'), publicKeyOf(key), 0o600);
  await expect(check(host, step, { directory, name: 'sa' })).rejects.toMatchObject({ code: 'KX5102' });
});

test('a key of another algorithm is used', async () => {
  put(file('sa.key'), key, 0o600);
  await ensure(host, step, { directory, name: 'sa', keyAlgorithm: 'rsa-2048' });
  expect([readFileSync(file('sa.key'), 'utf8'), readFileSync(file('sa.pub'), 'utf8')]).toEqual([key, publicKeyOf(key)]);
});
