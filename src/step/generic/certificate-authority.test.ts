import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Bench, check, io, scratch } from '../../../test/contract/bench.ts';
import { put } from '../../../test/contract/case.ts';
import { snapshot } from '../../../test/contract/tree.ts';
import { ensure } from '../../../test/rig/certificate-run.ts';
import { foreignAuthority, openssl } from '../../../test/rig/foreign-ca.ts';
import { makeAuthority, makeCertificate } from '../../pki/index.ts';
import { certificate } from './certificate.ts';
import { type Authority, certificateAuthority } from './certificate-authority.ts';

const bench = new Bench(scratch('authority'));
const [shell] = bench.shells;
if (shell === undefined) throw new Error('no shell');
const host = bench.host(shell);
const step = certificateAuthority.definition;
const settings = { keyAlgorithm: 'ecdsa-p256', validityDays: 3650 } as const;
const YEARS_AGO = new Date(Date.now() - 4000 * 24 * 60 * 60 * 1000);

const ca = await makeAuthority({ subject: { commonName: 'ca' }, ...settings }, new Date());
const other = await makeAuthority({ subject: { commonName: 'ca' }, ...settings }, new Date());
const old = await makeAuthority({ subject: { commonName: 'ca' }, ...settings }, YEARS_AGO);
const leaf = await makeCertificate(ca, { subject: { commonName: 'x' }, usages: ['client'], ...settings }, new Date());
const intermediate = foreignAuthority();

let directory: string;
let own: string;
beforeEach(() => {
  directory = bench.dir('kept');
  own = bench.dir('user');
});

const from = () => ({ caFile: join(own, 'my.crt'), keyFile: join(own, 'my.key') });
const kept = (name: string) => readFileSync(join(directory, name), 'utf8');

function bring(certificates: string, key: string): void {
  put(from().caFile, certificates);
  put(from().keyFile, key, 0o600);
}

function keep(certificates: string | undefined, key: string | undefined): void {
  if (certificates !== undefined) put(join(directory, 'ca.crt'), certificates, 0o600);
  if (key !== undefined) put(join(directory, 'ca.key'), key, 0o600);
}

describe('a CA that cannot be used is refused, in its check and when it is applied, and stays as it is', () => {
  const encrypted = (key: string) => {
    put(join(own, 'plain'), key, 0o600);
    return openssl('pkey', '-in', join(own, 'plain'), '-aes256', '-passout', 'pass:secret');
  };
  const ed25519 = () => openssl('genpkey', '-algorithm', 'ed25519');
  const selfMade = (...newkey: string[]) => {
    const files = ['-keyout', join(own, 'weak.key'), '-out', join(own, 'weak.crt')];
    openssl('req', '-x509', ...newkey, '-nodes', ...files, '-subj', '/CN=weak');
    bring(readFileSync(join(own, 'weak.crt'), 'utf8'), readFileSync(join(own, 'weak.key'), 'utf8'));
  };
  const cases: readonly (readonly [string, () => void, boolean, string])[] = [
    ['it is over', () => keep(old.certificate, old.key), false, 'KX5105'],
    ['its key is gone', () => keep(ca.certificate, undefined), false, 'KX5102'],
    ['its key is damaged', () => keep(ca.certificate, ca.key.slice(0, 80)), false, 'KX5101'],
    ['its key alone is there, damaged', () => keep(undefined, ca.key.slice(0, 80)), false, 'KX5101'],
    ['its key alone is there, encrypted', () => keep(undefined, encrypted(ca.key)), false, 'KX5101'],
    ['its key alone is there, and cannot sign', () => keep(undefined, ed25519()), false, 'KX5108'],
    ['its key is of another', () => keep(ca.certificate, other.key), false, 'KX5104'],
    ['it is no CA', () => keep(leaf.certificate, leaf.key), false, 'KX5103'],
    ['it is no certificate', () => keep('hello', ca.key), false, 'KX5101'],
    ['the user’s is over', () => bring(old.certificate, old.key), true, 'KX5105'],
    ['the user’s is missing', () => undefined, true, 'KX5101'],
    ['the user’s key is encrypted', () => bring(ca.certificate, encrypted(ca.key)), true, 'KX5101'],
    ['the user’s key is of another', () => bring(ca.certificate, other.key), true, 'KX5104'],
    ['the user’s is no CA', () => bring(leaf.certificate + ca.certificate, leaf.key), true, 'KX5103'],
    ['the user’s chain is broken', () => bring(ca.certificate + other.certificate, ca.key), true, 'KX5106'],
    ['the user’s key is Ed25519', () => selfMade('-newkey', 'ed25519'), true, 'KX5108'],
    ['the user’s key is short', () => selfMade('-newkey', 'rsa:1024'), true, 'KX5108'],
    [
      'the user’s is another one',
      () => {
        keep(ca.certificate, ca.key);
        bring(other.certificate, other.key);
      },
      true,
      'KX5107',
    ],
  ];

  test.each(cases)('%s', async (_name, prepare, brought, code) => {
    prepare();
    const want = { directory, commonName: 'ca', ...(brought ? { from: from() } : {}) };
    const before = snapshot(directory);
    await expect(check(host, step, want)).rejects.toMatchObject({ code });
    await expect(step.apply(host, want, io)).rejects.toMatchObject({ code });
    expect(snapshot(directory)).toEqual(before);
  });
});

describe('an intermediate CA of the user', () => {
  const member = (issuer: Authority) => ({
    directory,
    name: 'member',
    issuer,
    subject: { commonName: 'member' },
    names: ['member'],
    usages: ['server'],
  });

  test('signs; its chain is kept, and sent without the root', async () => {
    bring(`# ours\n${intermediate.certificate}${intermediate.root}`, intermediate.key);
    const want = { directory, commonName: 'ca', from: from() };
    const made = await ensure<Authority>(host, step, want);
    expect(kept('ca.crt').trim()).toBe(intermediate.certificate.trim());
    expect(made.chain.path).toBe(join(directory, 'ca-chain.crt'));
    expect(kept('ca-chain.crt').match(/BEGIN/g)).toHaveLength(2);

    await ensure(host, certificate.definition, member(made));
    expect(kept('member.crt').match(/BEGIN/g)).toHaveLength(2);
    put(join(own, 'root'), intermediate.root);
    const untrusted = ['-untrusted', join(directory, 'member.crt')];
    openssl('verify', '-CAfile', join(own, 'root'), ...untrusted, join(directory, 'member.crt'));

    // Taken out of the cluster file, the CA that the cluster has is used, with its chain.
    rmSync(own, { recursive: true });
    expect(await ensure<Authority>(host, step, { directory, commonName: 'ca' })).toEqual(made);
  });

  test('may come without what is above it, and later with it', async () => {
    bring(intermediate.certificate, intermediate.key);
    const want = { directory, commonName: 'ca', from: from() };
    const first = await ensure<Authority>(host, step, want);
    expect(first.chain).toEqual(first.certificate);
    expect(readdirSync(directory)).toEqual(['ca.crt', 'ca.key']);
    bring(intermediate.certificate + intermediate.root, intermediate.key);
    const second = await ensure<Authority>(host, step, want);
    expect(second).toMatchObject({ certificate: first.certificate, key: first.key });
    expect(second.chain).not.toEqual(first.chain);
  });

  test('is taken whole although a killed run had only copied its key', async () => {
    bring(intermediate.certificate + intermediate.root, intermediate.key);
    keep(undefined, other.key);
    await ensure(host, step, { directory, commonName: 'ca', from: from() });
    expect(new X509Certificate(kept('ca.crt')).checkPrivateKey(createPrivateKey(kept('ca.key')))).toBe(true);
    expect(readdirSync(directory)).toEqual(['ca-chain.crt', 'ca.crt', 'ca.key']);
  });
});

test('goes on with a key of another algorithm than is wanted now', async () => {
  keep(undefined, ca.key);
  await ensure(host, step, { directory, commonName: 'ca', keyAlgorithm: 'rsa-2048' });
  expect(kept('ca.key')).toBe(ca.key);
  expect(new X509Certificate(kept('ca.crt')).checkPrivateKey(createPrivateKey(ca.key))).toBe(true);
});

test('makes directories that are missing', async () => {
  const below = join(directory, 'certs', 'etcd');
  await ensure(host, step, { directory: below, commonName: 'ca', keyAlgorithm: 'rsa-2048', validityDays: 10 });
  const made = new X509Certificate(readFileSync(join(below, 'ca.crt')));
  expect(made.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
  expect(new Date(made.validTo).getTime() - Date.now()).toBeLessThan(11 * 24 * 60 * 60 * 1000);
});

test('works on the local machine only', async () => {
  const elsewhere = {
    name: 'node1',
    facts: host.facts,
    run: host.run,
    write: host.write,
    put: host.put,
    get: host.get,
  };
  const want = { directory, commonName: 'ca' };
  await expect(step.apply(elsewhere, want, io)).rejects.toMatchObject({ code: 'KX4001' });
  mkdirSync(directory, { recursive: true });
  expect(readdirSync(directory)).toEqual([]);
});
