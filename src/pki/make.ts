import { X509Certificate } from 'node:crypto';
import type { KeyAlgorithm } from '../model/key-algorithm.ts';
import { generateKey } from './keys.ts';
import { readCertificate } from './read.ts';
import type { CertificateSpec, Subject } from './subject.ts';
import { periodFor } from './validity.ts';
import type { Signer } from './x509.ts';

/** A certificate and its key, in PEM. */
export interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/** A new CA that signs itself. A key that is given is used: what a killed run left is not lost. */
export async function makeAuthority(
  want: { readonly subject: Subject; readonly keyAlgorithm: KeyAlgorithm; readonly validityDays: number },
  now: Date,
  given?: string,
): Promise<Pair> {
  const { selfSigned } = await library();
  const key = given ?? (await generateKey(want.keyAlgorithm));
  return { key, certificate: await selfSigned(want.subject, key, periodFor(now, want.validityDays)) };
}

/** A new key, and its certificate signed by a CA. The certificate ends with its CA at the latest. */
export async function makeCertificate(
  signer: Signer,
  want: CertificateSpec & { readonly keyAlgorithm: KeyAlgorithm; readonly validityDays: number },
  now: Date,
): Promise<Pair> {
  const { signedBy } = await library();
  const key = await generateKey(want.keyAlgorithm);
  const issuer = readCertificate(new X509Certificate(signer.certificate));
  return { key, certificate: await signedBy(signer, want, key, periodFor(now, want.validityDays, issuer)) };
}

/** Loaded when the first certificate is made: most commands make none. */
function library() {
  return import('./x509.ts');
}
