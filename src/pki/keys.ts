import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { KeyAlgorithm } from '../model/key-algorithm.ts';

const generate = promisify(generateKeyPair);

/** A new private key as PKCS #8 in PEM, which kubeadm, etcd and every Kubernetes component read. */
export async function generateKey(algorithm: KeyAlgorithm): Promise<string> {
  const { privateKey } =
    algorithm === 'ecdsa-p256'
      ? await generate('ec', { namedCurve: 'P-256' })
      : await generate('rsa', { modulusLength: algorithm === 'rsa-2048' ? 2048 : 4096 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The public half of a private key, in PEM: what verifies the tokens of service accounts. */
export function publicKeyOf(privateKeyPem: string): string {
  return createPublicKey(privateKeyPem).export({ type: 'spki', format: 'pem' }).toString();
}

/** A private key, unless the text is none: damaged, encrypted, or something else. */
export function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** Whether a key was made with this algorithm. */
export function isKeyOf(key: KeyObject, algorithm: KeyAlgorithm): boolean {
  return describeKey(key) === algorithm;
}

/** A key in the words of the configuration, as far as they have one. */
export function describeKey(key: KeyObject): string {
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa') return `rsa-${modulusLength ?? '?'}`;
  if (key.asymmetricKeyType !== 'ec') return key.asymmetricKeyType ?? 'unknown';
  return namedCurve === 'prime256v1' ? 'ecdsa-p256' : `ecdsa-${namedCurve ?? '?'}`;
}

/** Whether Kubernetes and etcd accept certificates that such a key signs. Ed25519 is not among the keys kubeadm accepts. */
export function canSign(key: KeyObject): boolean {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa') return modulusLength >= 2048;
  return key.asymmetricKeyType === 'ec' && ['prime256v1', 'secp384r1', 'secp521r1'].includes(namedCurve);
}
