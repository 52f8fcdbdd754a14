import { readFile } from 'node:fs/promises';
import type ssh2 from 'ssh2';
import { kubexmError } from '../../model/errors/index.ts';
import type { Target } from '../target.ts';
import { KeyRing } from './key-ring.ts';

/** A private key as it was found. */
export interface FoundKey {
  /** What errors and questions call it: the file's name. */
  readonly label: string;
  readonly data: Buffer | string;
}

/** A private key that is ready to sign. */
export interface LoadedKey {
  readonly label: string;
  readonly key: ssh2.ParsedKey;
}

/** Reads a key file. A missing or unreadable one is an error. */
export async function findKey(target: Target, file: string): Promise<FoundKey> {
  try {
    return { label: file, data: await readFile(file) };
  } catch (error) {
    throw kubexmError('KX3008', { host: target.name, file, reason: (error as Error).message }, { cause: error });
  }
}

/** Whether a passphrase is needed that only a person can know. */
export function isLocked({ auth }: Target, { data }: FoundKey): boolean {
  return auth.passphrase === undefined && (auth.keys ?? new KeyRing()).isLocked(data);
}

/** Makes a key ready. `mayAsk`: a person may be asked for its passphrase. */
export async function loadKey(target: Target, { label, data }: FoundKey, mayAsk = true): Promise<LoadedKey> {
  const { keys = new KeyRing(), passphrase, askPassphrase } = target.auth;
  const key = await keys.open(label, data, { passphrase, ...(mayAsk && { ask: askPassphrase }) });
  if ('reason' in key) {
    throw kubexmError(key.encrypted ? 'KX3009' : 'KX3008', { host: target.name, file: label, reason: key.reason });
  }
  if (!key.isPrivateKey()) {
    throw kubexmError('KX3008', { host: target.name, file: label, reason: 'it is a public key' });
  }
  return { label, key };
}
