import type { KeyObject, X509Certificate } from 'node:crypto';
import type { KeyAlgorithm } from '../model/key-algorithm.ts';
import { canSign, describeKey, isKeyOf } from './keys.ts';
import type { Chain } from './pem.ts';
import { canonicalIp, readCertificate, unique } from './read.ts';
import type { CertificateSpec } from './subject.ts';
import { isDue, isOutside } from './validity.ts';

/** One reason why a certificate is not as wanted, for people. */
export interface Fault {
  readonly what: string;
  readonly from?: string;
  readonly to?: string;
}

/** What a certificate is measured against. */
export interface WantedCertificate extends CertificateSpec {
  readonly keyAlgorithm: KeyAlgorithm;
  readonly validityDays: number;
  readonly renewBeforeDays: number;
}

/** Why a certificate that exists has to be made again; nothing where it is as wanted. Without an issuer, who signed it is left out. */
export function certificateFaults(
  certificate: X509Certificate,
  key: KeyObject,
  want: WantedCertificate,
  now: Date,
  issuer?: X509Certificate,
): readonly Fault[] {
  return [
    ...contentFaults(certificate, want),
    ...(certificate.ca ? [{ what: 'kind', from: 'CA', to: 'certificate' }] : []),
    ...(certificate.checkPrivateKey(key) ? [] : [{ what: 'key', from: 'of another certificate', to: 'new' }]),
    ...(isKeyOf(key, want.keyAlgorithm) ? [] : [{ what: 'key', from: describeKey(key), to: want.keyAlgorithm }]),
    ...(issuer === undefined ? [] : issuerFaults(certificate, issuer, want, now)),
  ];
}

/** Whether a certificate was signed by this CA: by its key, not merely by one of its name. */
export function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** Why certificates and a key cannot be used as a CA, and which certificate it is about. */
export interface AuthorityFault {
  readonly fault: 'not-a-ca' | 'other-key' | 'weak-key' | 'broken-chain' | 'not-valid-now';
  readonly certificate: X509Certificate;
}

/** Looks at a CA: its own certificate first, then those above it. Undefined where nothing is wrong. */
export function authorityFault(chain: Chain, key: KeyObject, now: Date): AuthorityFault | undefined {
  const [own] = chain;
  const noCa = chain.find((one) => !one.ca);
  if (noCa) return { fault: 'not-a-ca', certificate: noCa };
  if (!own.checkPrivateKey(key)) return { fault: 'other-key', certificate: own };
  if (!canSign(key)) return { fault: 'weak-key', certificate: own };
  const unsigned = chain.find((one, i) => i + 1 < chain.length && !isSignedBy(one, chain[i + 1] ?? own));
  if (unsigned) return { fault: 'broken-chain', certificate: unsigned };
  const outside = chain.find((one) => isOutside(readCertificate(one), now));
  return outside && { fault: 'not-valid-now', certificate: outside };
}

/** The certificates that a server sends behind its own: those between it and the root, which clients have themselves. */
export function servedChain(chain: readonly X509Certificate[]): readonly X509Certificate[] {
  return chain.filter((one) => !isSignedBy(one, one));
}

function contentFaults(certificate: X509Certificate, want: WantedCertificate): readonly Fault[] {
  const seen = readCertificate(certificate);
  const pairs: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['common name', [seen.commonName], [want.subject.commonName]],
    ['organizations', seen.organizations, unique(want.subject.organizations ?? [])],
    ['DNS names', seen.names, unique((want.names ?? []).map((name) => name.toLowerCase()))],
    ['addresses', seen.addresses, unique((want.addresses ?? []).map(canonicalIp))],
    ['usages', unique(seen.usages), unique(want.usages)],
    ['other names and usages', seen.others, []],
  ];
  return pairs.flatMap(([what, from, to]) =>
    from.join('\n') === to.join('\n') ? [] : [{ what, from: from.join(', '), to: to.join(', ') }],
  );
}

function issuerFaults(
  certificate: X509Certificate,
  issuer: X509Certificate,
  want: WantedCertificate,
  now: Date,
): readonly Fault[] {
  if (!isSignedBy(certificate, issuer)) {
    return [{ what: 'CA', from: readCertificate(certificate).issuer, to: readCertificate(issuer).commonName }];
  }
  const { validityDays: days, renewBeforeDays } = want;
  const period = readCertificate(certificate);
  if (!isDue(period, now, { days, renewBeforeDays, issuer: readCertificate(issuer) })) return [];
  return [{ what: 'valid until', from: period.notAfter.toISOString(), to: `${days} days from now` }];
}
