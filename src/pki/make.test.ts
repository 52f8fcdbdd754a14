import { createPublicKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import { foreignAuthority, openssl } from '../../test/rig/foreign-ca.ts';
import { KEY_ALGORITHMS } from '../model/key-algorithm.ts';
import { bundleOf } from './index.ts';
import { describeKey, generateKey, publicKeyOf, readPrivateKey } from './keys.ts';
import { makeAuthority, makeCertificate } from './make.ts';
import { certificatesIn } from './pem.ts';
import { readCertificate } from './read.ts';

const dir = mkdtempSync(join(tmpdir(), 'kubexm-pki-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let count = 0;
function file(text: string): string {
  const path = join(dir, String(count++));
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** `verify` of OpenSSL, as strict as it can be. Throws with what it says. */
function verify(certificate: string, authority: string, ...more: string[]): string {
  return openssl('verify', '-x509_strict', '-check_ss_sig', ...more, '-CAfile', file(authority), file(certificate));
}

const DAY = 24 * 60 * 60 * 1000;
const now = new Date();
const ca = { subject: { commonName: 'etcd-ca' }, validityDays: 3650 };
const member = {
  subject: { commonName: 'system:node:node1', organizations: ['system:nodes', 'a, b = "c" \\ ü 世'] },
  names: ['node1', 'node1.example.org', '*.etcd.example.org'],
  addresses: ['192.0.2.1', '127.0.0.1', '::1', '2001:db8::10:1'],
  usages: ['server', 'client'],
  validityDays: 365,
} as const;

describe.each(KEY_ALGORITHMS)('with keys %s', (keyAlgorithm) => {
  const made = (async () => {
    const authority = await makeAuthority({ ...ca, keyAlgorithm }, now);
    return { authority, pair: await makeCertificate(authority, { ...member, keyAlgorithm }, now) };
  })();

  it('OpenSSL accepts the CA and what it signed, for the purposes it was made for', async () => {
    const { authority, pair } = await made;
    verify(authority.certificate, authority.certificate);
    for (const purpose of ['sslserver', 'sslclient']) {
      verify(pair.certificate, authority.certificate, '-purpose', purpose);
    }
    for (const name of ['node1', 'node1.example.org', 'x.etcd.example.org'])
      verify(pair.certificate, authority.certificate, '-verify_hostname', name);
    for (const ip of member.addresses) verify(pair.certificate, authority.certificate, '-verify_ip', ip);
    expect(() => verify(pair.certificate, authority.certificate, '-verify_ip', '192.0.2.2')).toThrow(/mismatch/);
    expect(() => verify(pair.certificate, authority.certificate, '-verify_hostname', 'node2')).toThrow(/mismatch/);
  });

  it('the certificate says what was wanted, and OpenSSL reads the same', async () => {
    const { pair } = await made;
    const read = readCertificate(new X509Certificate(pair.certificate));
    expect(read).toMatchObject({
      commonName: 'system:node:node1',
      organizations: [...member.subject.organizations].sort(),
      names: [...member.names].sort(),
      addresses: [...member.addresses].sort(),
      usages: ['server', 'client'],
      others: [],
      issuer: 'etcd-ca',
    });
    const text = openssl('x509', '-in', file(pair.certificate), '-noout', '-text');
    expect(text).toContain('IP Address:2001:DB8:0:0:0:0:10:1');
    expect(text).toContain('TLS Web Server Authentication, TLS Web Client Authentication');
    expect(text).toMatch(/Basic Constraints: critical\s+CA:FALSE/);
    expect(text).toMatch(/Subject: O = system:nodes, O = .*, CN = system:node:node1/);
    const usages = keyAlgorithm === 'ecdsa-p256' ? 'Digital Signature' : 'Digital Signature, Key Encipherment';
    expect(text).toMatch(new RegExp(`Key Usage: critical\\s+${usages}\\n`));
  });

  it('the CA says that it is one, and only that', async () => {
    const { authority } = await made;
    const text = openssl('x509', '-in', file(authority.certificate), '-noout', '-text');
    expect(text).toMatch(/Basic Constraints: critical\s+CA:TRUE\n/);
    expect(text).toMatch(/Key Usage: critical\s+Digital Signature, Certificate Sign, CRL Sign\n/);
    expect(text).not.toContain('Extended Key Usage');
  });

  it('the identifiers of keys lead from one to the other', async () => {
    const { authority, pair } = await made;
    const id = (pem: string, name: string) =>
      openssl('x509', '-in', file(pem), '-noout', '-ext', name).match(/([0-9A-F]{2}:){19}[0-9A-F]{2}/)?.[0];
    expect(id(authority.certificate, 'subjectKeyIdentifier')).toBeDefined();
    expect(id(pair.certificate, 'authorityKeyIdentifier')).toBe(id(authority.certificate, 'subjectKeyIdentifier'));
    expect(id(pair.certificate, 'subjectKeyIdentifier')).not.toBe(id(authority.certificate, 'subjectKeyIdentifier'));
  });

  it('keys are what was asked for, in PKCS #8', async () => {
    const { authority, pair } = await made;
    for (const { key } of [authority, pair]) {
      expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
      const read = readPrivateKey(key);
      expect(read && describeKey(read)).toBe(keyAlgorithm);
      openssl('pkey', '-in', file(key), '-check', '-noout');
    }
  });
});

describe('the time that a certificate is valid', () => {
  const settings = { keyAlgorithm: 'ecdsa-p256' } as const;

  it('begins five minutes ago, for clocks that are late, and ends when wanted', async () => {
    const authority = await makeAuthority({ ...ca, ...settings }, new Date(now.getTime() - DAY));
    const { certificate } = await makeCertificate(authority, { ...member, ...settings }, now);
    const { notBefore, notAfter } = readCertificate(new X509Certificate(certificate));
    const second = Math.floor(now.getTime() / 1000) * 1000;
    expect(notBefore.getTime()).toBe(second - 5 * 60 * 1000);
    expect(notAfter.getTime()).toBe(second + 365 * DAY);
  });

  it('never leaves that of its CA', async () => {
    const authority = await makeAuthority({ ...ca, ...settings, validityDays: 10 }, now);
    const early = new Date(now.getTime() - 3 * 60 * 1000);
    const { certificate } = await makeCertificate(authority, { ...member, ...settings }, early);
    const own = readCertificate(new X509Certificate(certificate));
    const its = readCertificate(new X509Certificate(authority.certificate));
    expect(own.notBefore).toEqual(its.notBefore);
    expect(own.notAfter).toEqual(its.notAfter);
  });

  it('may reach beyond 2050', async () => {
    const authority = await makeAuthority({ ...ca, ...settings, validityDays: 365 * 100 }, now);
    const { certificate } = await makeCertificate(authority, { ...member, ...settings, validityDays: 365 * 40 }, now);
    verify(certificate, authority.certificate, '-attime', String(Math.floor(Date.UTC(2060, 1) / 1000)));
  });
});

test('serial numbers are positive, of about 128 bits, and no two are equal', async () => {
  const settings = { keyAlgorithm: 'ecdsa-p256' } as const;
  const authority = await makeAuthority({ ...ca, ...settings }, now);
  const serials = new Set<string>();
  for (let i = 0; i < 40; i++) {
    const { certificate } = await makeCertificate(authority, { ...member, ...settings }, now);
    const { serialNumber } = new X509Certificate(certificate);
    expect(serialNumber).toMatch(/^[0-9A-F]{32}$/);
    serials.add(serialNumber);
  }
  expect(serials.size).toBe(40);
});

describe('a CA that others made', () => {
  test.each([
    ['RSA', ['-newkey', 'rsa:3072']],
    ['P-384', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384']],
    ['P-521', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-521']],
  ])('signs with its own kind of key: %s', async (_kind, newkey) => {
    const { root, certificate, key } = foreignAuthority(...newkey);
    const pair = await makeCertificate({ certificate, key }, { ...member, keyAlgorithm: 'ecdsa-p256' }, now);
    verify(pair.certificate, root, '-untrusted', file(certificate), '-purpose', 'sslserver');
    expect(new X509Certificate(pair.certificate).checkIssued(new X509Certificate(certificate))).toBe(true);
    expect(() => verify(pair.certificate, root)).toThrow(/unable to get local issuer/);
  });
});

test('a CA is read from a file with comments in it and other certificates behind it', async () => {
  const settings = { ...ca, keyAlgorithm: 'ecdsa-p256' } as const;
  const [own, other] = [await makeAuthority(settings, now), await makeAuthority(settings, now)];
  const text = `Subject: CN = etcd-ca\n${own.certificate}${other.certificate}`;
  const leaf = { ...member, keyAlgorithm: 'ecdsa-p256' } as const;
  verify((await makeCertificate({ ...own, certificate: text }, leaf, now)).certificate, own.certificate);
});

test('a bundle holds every CA once', async () => {
  const settings = { ...ca, keyAlgorithm: 'ecdsa-p256' } as const;
  const [old, fresh] = [await makeAuthority(settings, now), await makeAuthority(settings, now)];
  const bundle = bundleOf([`# comment\n${old.certificate}`, fresh.certificate, old.certificate]);
  expect(certificatesIn(bundle)?.map((one) => one.fingerprint256)).toEqual(
    [old, fresh].map((one) => new X509Certificate(one.certificate).fingerprint256),
  );
  const leaf = { ...member, keyAlgorithm: 'ecdsa-p256' } as const;
  for (const one of [old, fresh]) verify((await makeCertificate(one, leaf, now)).certificate, bundle);
});

test('the public half of a key for service accounts is the one that OpenSSL gives', async () => {
  for (const algorithm of ['ecdsa-p256', 'rsa-2048'] as const) {
    const key = await generateKey(algorithm);
    expect(publicKeyOf(key)).toBe(openssl('pkey', '-in', file(key), '-pubout'));
    expect(createPublicKey(publicKeyOf(key)).type).toBe('public');
  }
});
