import { kubexmError } from '../../../model/errors/index.ts';
import { authorityFault, type Chain, describeKey, readCertificate } from '../../../pki/index.ts';
import { keyAt, type SeenKey } from './kept-pem.ts';

/** A CA that the user has, as files of this machine. */
export interface AuthorityFiles {
  /** Its certificate first, then those above it. */
  readonly caFile: string;
  readonly keyFile: string;
}

/** A CA with its key. */
export interface ReadAuthority {
  readonly chain: Chain;
  readonly key: SeenKey;
}

/** The user's CA; throws where it cannot be one. */
export function broughtAuthority({ caFile, keyFile }: AuthorityFiles, chain: Chain | undefined): ReadAuthority {
  if (chain === undefined) throw kubexmError('KX5101', { path: caFile, what: 'certificate' });
  const key = keyAt(keyFile);
  if (key === undefined) throw kubexmError('KX5101', { path: keyFile, what: 'private key' });
  refuseUnfit({ chain, key }, { caFile, keyFile });
  return { chain, key };
}

/** Throws where certificates and key are no CA that can sign now. */
export function refuseUnfit({ chain, key }: ReadAuthority, { caFile: path, keyFile }: AuthorityFiles): void {
  const found = authorityFault(chain, key.key, new Date());
  if (found === undefined) return;
  switch (found.fault) {
    case 'not-a-ca':
      throw kubexmError('KX5103', { path });
    case 'other-key':
      throw kubexmError('KX5104', { path, key: keyFile });
    case 'weak-key':
      throw kubexmError('KX5108', { key: keyFile, kind: describeKey(key.key) });
    case 'broken-chain':
      throw kubexmError('KX5106', { path });
    case 'not-valid-now': {
      const { notBefore, notAfter } = readCertificate(found.certificate);
      throw kubexmError('KX5105', { path, from: notBefore.toISOString(), to: notAfter.toISOString() });
    }
  }
}
