import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Bench, check, io, scratch } from '../../../test/contract/bench.ts';
import { put } from '../../../test/contract/case.ts';
import { snapshot } from '../../../test/contract/tree.ts';
import { ensure } from '../../../test/rig/certificate-run.ts';
import { makeCertificate } from '../../pki/index.ts';
import { type Certificate, type Certified, certificate } from './certificate.ts';
import { type Authority, certificateAuthority } from './certificate-authority.ts';
import { keyPair } from './key-pair.ts';

const bench = new Bench(scratch('certificate'));
const [shell] = bench.shells;
if (shell === undefined) throw new Error('no shell');
const host = bench.host(shell);
const step = certificate.definition;
const DAY = 24 * 60 * 60 * 1000;
const daysAgo = (count: number) => new Date(Date.now() - count * DAY);
const authority = (directory: string) =>
  ensure<Authority>(host, certificateAuthority.definition, { directory, commonName: 'etcd-ca' });
const issuer = await authority(bench.dir('ca'));
const signer = {
  certificate: readFileSync(issuer.certificate.path, 'utf8'),
  key: readFileSync(issuer.key.path, 'utf8'),
};

let directory: string;
let want: Certificate;
beforeEach(() => {
  directory = bench.dir('kept');
  want = {
    directory,
    name: 'member',
    issuer,
    subject: { commonName: 'member' },
    names: ['member'],
    addresses: ['192.0.2.1'],
    usages: ['server', 'client'],
  };
});

/** A certificate that an earlier run made, with the CA as it was then. */
async function plant(at: Date, other: Partial<Certificate> = {}): Promise<string> {
  const spec = { ...want, keyAlgorithm: 'ecdsa-p256', validityDays: 365, ...other } as const;
  const made = await makeCertificate(signer, spec, at);
  put(join(directory, 'member.key'), made.key, 0o600);
  put(join(directory, 'member.crt'), made.certificate, 0o600);
  return made.certificate;
}

const file = (name: string) => readFileSync(join(directory, name), 'utf8');

test.each([
  ['fresh', 1, {}, false],
  ['31 days before its end', 334, {}, false],
  ['29 days before its end', 336, {}, true],
  ['60 days before its end, renewed 90 days before', 305, { renewBeforeDays: 90 }, true],
  ['29 days before its end, renewed 7 days before', 336, { renewBeforeDays: 7 }, false],
  ['over', 400, {}, true],
] as const)('%s', async (_name, age, settings, renewed) => {
  // Not before its CA, which was made just now: the age is given by its end.
  await plant(new Date(), { validityDays: 365 - age });
  const before = [file('member.crt'), file('member.key')];
  if (age > 365) expect(new X509Certificate(before[0] ?? '').validToDate.getTime()).toBeLessThan(Date.now());
  Object.assign(want, settings);
  expect((await check(host, step, want)).verdict).toBe(renewed ? 'needed' : 'satisfied');
  const made = await ensure<Certified>(host, step, want);
  expect(made.ca).toEqual(issuer.certificate);
  const after = [file('member.crt'), file('member.key')];
  expect([after[0] !== before[0], after[1] !== before[1]]).toEqual([renewed, renewed]);
});

describe('is made again', () => {
  test.each<readonly [string, () => void | Promise<void>, string]>([
    ['when a name is added', () => void Object.assign(want, { names: ['member', 'other'] }), 'DNS names'],
    ['when an address goes', () => void Object.assign(want, { addresses: [] }), 'addresses'],
    ['when its key is gone', () => put(join(directory, 'member.key'), ''), 'member.key'],
    ['when it is damaged', () => put(join(directory, 'member.crt'), 'x'), 'member.crt'],
    ['when others could read its key', () => put(join(directory, 'member.key'), file('member.key'), 0o644), 'mode'],
    ['with another kind of key', () => void Object.assign(want, { keyAlgorithm: 'rsa-2048' }), 'key'],
    [
      'when something is behind it',
      () => put(join(directory, 'member.crt'), file('member.crt') + signer.certificate),
      'chain',
    ],
    [
      'by another CA of the same name',
      async () => void Object.assign(want, { issuer: await authority(bench.dir('ca')) }),
      'CA',
    ],
  ])('%s', async (_name, change, what) => {
    await plant(daysAgo(0));
    expect((await check(host, step, want)).verdict).toBe('satisfied');
    const key = file('member.key');
    await change();
    const found = await check(host, step, want);
    expect(found).toMatchObject({ verdict: 'needed', diff: [{ what: expect.stringContaining(what) }] });
    await ensure(host, step, want);
    expect(file('member.key')).not.toBe(key);
  });
});

test('what cannot be in a certificate is refused', async () => {
  const wrong: readonly Partial<Certificate>[] = [
    { subject: { commonName: '' } },
    { subject: { commonName: 'a\nb' } },
    { names: ['under_score'] },
    { names: ['*.*.example.org'] },
    { addresses: ['10.0.0.256'] },
    { usages: [] },
    { names: [], addresses: [], usages: ['server'] },
    { validityDays: 30, renewBeforeDays: 30 },
    { name: '../member' },
    { name: 'ca' },
  ];
  for (const one of wrong) {
    await expect(async () => check(host, step, { ...want, ...one }), JSON.stringify(one)).rejects.toMatchObject({
      code: 'KX4001',
    });
  }
  expect(snapshot(directory)).toEqual({});
});

test('while its CA is not made, a dry run says what is to come', async () => {
  const masked = { ...want, issuer: '‹ca›' };
  expect(await check(host, step, masked)).toMatchObject({
    verdict: 'needed',
    diff: [{ what: join(directory, 'member.crt'), to: 'member' }],
  });
  await plant(daysAgo(0), { names: ['other'] });
  expect(await check(host, step, masked)).toMatchObject({
    verdict: 'needed',
    diff: [{ what: 'DNS names', from: 'other', to: 'member' }],
  });
});

test('a CA that is not the one that was looked at signs nothing', async () => {
  const [mine, others] = [await authority(bench.dir('ca')), await authority(bench.dir('ca'))];
  put(mine.key.path, readFileSync(others.key.path), 0o600);
  await expect(step.apply(host, { ...want, issuer: mine }, io)).rejects.toMatchObject({ code: 'KX5109' });
  expect(snapshot(directory)).toEqual({});
});

describe('a pair of keys', () => {
  const pair = keyPair.definition;

  test('is never replaced: without its private half it is refused', async () => {
    put(join(directory, 'sa.pub'), 'the public half', 0o600);
    const before = snapshot(directory);
    const wanted = { directory, name: 'sa' };
    await expect(check(host, pair, wanted)).rejects.toMatchObject({ code: 'KX5102' });
    await expect(pair.apply(host, wanted, io)).rejects.toMatchObject({ code: 'KX5102' });
    expect(snapshot(directory)).toEqual(before);
  });

  test('keeps its key when the kind of new keys changes, and is put right where its public half is of another', async () => {
    const first = await ensure(host, pair, { directory, name: 'sa' });
    put(join(directory, 'sa.pub'), 'of another', 0o600);
    expect(await ensure(host, pair, { directory, name: 'sa', keyAlgorithm: 'rsa-2048' })).toEqual(first);
  });
});
