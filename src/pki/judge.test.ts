import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { authorityFault, certificateFaults, isSignedBy, servedChain, type WantedCertificate } from './judge.ts';
import { generateKey } from './keys.ts';
import { makeAuthority, makeCertificate } from './make.ts';
import { type Chain, certificatesIn } from './pem.ts';

const DAY = 24 * 60 * 60 * 1000;
const now = new Date();
const days = (count: number) => new Date(now.getTime() + count * DAY);
const keyAlgorithm = 'ecdsa-p256';
const member: WantedCertificate = {
  subject: { commonName: 'node1', organizations: ['b', 'a'] },
  names: ['node1', 'node1.example.org'],
  addresses: ['192.0.2.1', '2001:db8::1'],
  usages: ['server', 'client'],
  keyAlgorithm,
  validityDays: 365,
  renewBeforeDays: 30,
};
const ca = await makeAuthority({ subject: { commonName: 'ca' }, keyAlgorithm, validityDays: 1000 }, now);
const twin = await makeAuthority({ subject: { commonName: 'ca' }, keyAlgorithm, validityDays: 1000 }, now);
const issuer = new X509Certificate(ca.certificate);
const pair = await makeCertificate(ca, member, now);
const own = new X509Certificate(pair.certificate);
const key = createPrivateKey(pair.key);

describe('a certificate', () => {
  const cases: readonly (readonly [string, Partial<WantedCertificate>, Date, readonly object[]])[] = [
    ['as wanted', {}, now, []],
    [
      'in another order and spelling',
      { names: ['NODE1.example.org', 'node1'], addresses: ['2001:DB8:0::1', '192.0.2.1'] },
      now,
      [],
    ],
    [
      'for another user',
      { subject: { commonName: 'node2', organizations: ['a', 'b'] } },
      now,
      [{ what: 'common name', from: 'node1', to: 'node2' }],
    ],
    [
      'for other groups',
      { subject: { commonName: 'node1', organizations: ['a'] } },
      now,
      [{ what: 'organizations', from: 'a, b', to: 'a' }],
    ],
    [
      'without a name',
      { names: ['node1'] },
      now,
      [{ what: 'DNS names', from: 'node1, node1.example.org', to: 'node1' }],
    ],
    [
      'with another address',
      { addresses: ['192.0.2.1', '2001:db8::2'] },
      now,
      [{ what: 'addresses', from: '192.0.2.1, 2001:db8::1', to: '192.0.2.1, 2001:db8::2' }],
    ],
    ['for servers only', { usages: ['server'] }, now, [{ what: 'usages', from: 'client, server', to: 'server' }]],
    [
      'with another kind of key',
      { keyAlgorithm: 'rsa-2048' },
      now,
      [{ what: 'key', from: 'ecdsa-p256', to: 'rsa-2048' }],
    ],
    ['31 days before its end', {}, days(334), []],
    ['29 days before its end', {}, days(336), [{ what: 'valid until', to: '365 days from now' }]],
    ['29 days before its end, where 20 are enough', { renewBeforeDays: 20 }, days(336), []],
    ['after its end', {}, days(400), [{ what: 'valid until' }]],
    ['made by a clock that was ahead', {}, days(-1), [{ what: 'valid until' }]],
  ];

  test.each(cases)('%s', (_name, other, at, faults) => {
    expect(certificateFaults(own, key, { ...member, ...other }, at, issuer)).toMatchObject(faults);
    expect(certificateFaults(own, key, { ...member, ...other }, at, issuer)).toHaveLength(faults.length);
  });

  test('that ends with its CA is not made again every time', async () => {
    const short = await makeAuthority({ subject: { commonName: 'ca' }, keyAlgorithm, validityDays: 20 }, now);
    const made = await makeCertificate(short, member, now);
    const judged = (at: Date) =>
      certificateFaults(
        new X509Certificate(made.certificate),
        createPrivateKey(made.key),
        member,
        at,
        new X509Certificate(short.certificate),
      );
    expect(judged(now)).toEqual([]);
    expect(judged(days(19))).toEqual([]);
  });

  test('of another CA with the same name', () => {
    const foreign = new X509Certificate(twin.certificate);
    expect(isSignedBy(own, foreign)).toBe(false);
    expect(certificateFaults(own, key, member, now, foreign)).toEqual([{ what: 'CA', from: 'ca', to: 'ca' }]);
    expect(certificateFaults(own, key, member, now)).toEqual([]);
  });

  test('with a key that is not its own', async () => {
    const other = createPrivateKey(await generateKey(keyAlgorithm));
    expect(certificateFaults(own, other, member, now, issuer)).toMatchObject([{ what: 'key' }]);
  });

  test('that is a CA', () => {
    const faults = certificateFaults(issuer, createPrivateKey(ca.key), member, now, issuer);
    expect(faults).toContainEqual({ what: 'kind', from: 'CA', to: 'certificate' });
  });
});

describe('a CA', () => {
  const chainOf = (text: string): Chain => certificatesIn(text) ?? [issuer];
  const itself = chainOf(ca.certificate);
  const caKey = createPrivateKey(ca.key);

  test('that is one', () => expect(authorityFault(itself, caKey, now)).toBeUndefined());

  test.each([
    ['is no CA', chainOf(pair.certificate), key, now, 'not-a-ca'],
    ['has another key', itself, createPrivateKey(twin.key), now, 'other-key'],
    ['is over', itself, caKey, days(1001), 'not-valid-now'],
    ['is not valid yet', itself, caKey, days(-1), 'not-valid-now'],
    ['was not signed by the next one', chainOf(ca.certificate + twin.certificate), caKey, now, 'broken-chain'],
  ] as const)('that %s', (_name, chain, itsKey, at, fault) => {
    expect(authorityFault(chain, itsKey, at)).toMatchObject({ fault });
  });

  test('that signs itself is not sent behind what it signed', () => expect(servedChain(itself)).toEqual([]));
});
