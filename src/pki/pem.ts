import { X509Certificate } from 'node:crypto';

const BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** At least one certificate: its own first, then those above it. */
export type Chain = readonly [X509Certificate, ...X509Certificate[]];

/** The certificates in a PEM text, in their order; undefined where there is none or one cannot be read. Other text is skipped. */
export function certificatesIn(text: string): Chain | undefined {
  try {
    const [first, ...others] = (text.match(BLOCK) ?? []).map((block) => new X509Certificate(block));
    return first && [first, ...others];
  } catch {
    return undefined;
  }
}

/** Certificates as one PEM text, without comments. */
export function pemOf(certificates: readonly X509Certificate[]): string {
  return certificates.map((one) => `${one.toString().trim()}\n`).join('');
}

/**
 * The CAs of several PEM texts as one bundle, each once, in the order given: during a rotation both the old CA and the new one
 * are trusted.
 */
export function bundleOf(texts: readonly string[]): string {
  const all = texts.flatMap((text) => certificatesIn(text) ?? []);
  return pemOf([...new Map(all.map((one) => [one.fingerprint256, one])).values()]);
}
