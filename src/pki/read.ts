import type { X509Certificate } from 'node:crypto';
import { formatIp, parseIp } from '../model/cluster/ip.ts';
import { USAGE_OIDS, type Usage } from './subject.ts';

type DistinguishedName = Readonly<Record<string, string | string[] | undefined>>;

/** What a certificate says of itself, in a form that can be compared. */
export interface ReadCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The common name of who signed it. */
  readonly issuer: string;
  /** In lower case, sorted, each once; so are addresses. */
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  readonly usages: readonly Usage[];
  /** Names of other kinds, and usages that kubexm does not give: what it never asks for. */
  readonly others: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Reads a certificate. */
export function readCertificate(certificate: X509Certificate): ReadCertificate {
  // Not `subject`: there, some characters are escaped.
  const legacy = certificate.toLegacyObject();
  const subject = legacy.subject as unknown as DistinguishedName;
  const alternatives = splitNames(certificate.subjectAltName ?? '');
  const usages = certificate.keyUsage ?? [];
  const known = Object.entries(USAGE_OIDS) as [Usage, string][];
  return {
    commonName: listOf(subject['CN']).join(' '),
    organizations: unique(listOf(subject['O'])),
    issuer: listOf((legacy.issuer as unknown as DistinguishedName)['CN']).join(' '),
    names: unique(alternatives.flatMap(({ type, value }) => (type === 'DNS' ? [value.toLowerCase()] : []))),
    addresses: unique(alternatives.flatMap(({ type, value }) => (type === 'IP Address' ? [canonicalIp(value)] : []))),
    usages: known.filter(([, oid]) => usages.includes(oid)).map(([usage]) => usage),
    others: [
      ...alternatives.filter(({ type }) => type !== 'DNS' && type !== 'IP Address').map(({ type }) => type),
      ...usages.filter((oid) => !known.some(([, one]) => one === oid)),
    ],
    notBefore: new Date(certificate.validFrom),
    notAfter: new Date(certificate.validTo),
  };
}

/** An address in the one way it is compared. */
export function canonicalIp(text: string): string {
  const ip = parseIp(text);
  return ip === undefined ? text : formatIp(ip);
}

/** Sorted, each once. */
export function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}

/** `DNS:a, IP Address:10.0.0.1`: a value with a comma or a quote in it is written as JSON. */
function splitNames(text: string): readonly { readonly type: string; readonly value: string }[] {
  return [...text.matchAll(/([^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/g)].map(([, type = '', value = '']) => ({
    type,
    value: value.startsWith('"') ? String(JSON.parse(value)) : value,
  }));
}

function listOf(value: string | string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
