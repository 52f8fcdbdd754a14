import { readFile } from 'node:fs/promises';
import ssh2 from 'ssh2';
import { kubexmError } from '../../model/errors/index.ts';
import type { Target } from '../target.ts';

/** A private key that is ready to sign. */
export interface LoadedKey {
  /** What errors call it: the file's name. */
  readonly label: string;
  readonly key: ssh2.ParsedKey;
}

/** Reads a key file. A missing or unreadable one is an error. */
export async function loadKeyFile(target: Target, file: string): Promise<LoadedKey | undefined> {
  let data: Buffer;
  try {
    data = await readFile(file);
  } catch (error) {
    throw kubexmError('KX3008', { host: target.name, file, reason: (error as Error).message }, { cause: error });
  }
  return loadKey(target, file, data);
}

/** Reads a key, asking for its passphrase when it needs one. Undefined when the person gave none. */
export async function loadKey(target: Target, label: string, data: Buffer | string): Promise<LoadedKey | undefined> {
  const { passphrase, askPassphrase } = target.auth;
  let key = parse(data, undefined);
  if (key instanceof Error && isEncrypted(key)) {
    const phrase = passphrase ?? (await askPassphrase?.(label));
    if (phrase === undefined) {
      if (askPassphrase) return undefined;
      throw kubexmError('KX3009', { host: target.name, file: label, reason: 'no passphrase was given' });
    }
    key = parse(data, phrase);
    if (key instanceof Error) {
      throw kubexmError(
        'KX3009',
        { host: target.name, file: label, reason: 'the passphrase is wrong' },
        { cause: key },
      );
    }
  }
  if (key instanceof Error) {
    throw kubexmError('KX3008', { host: target.name, file: label, reason: key.message }, { cause: key });
  }
  if (!key.isPrivateKey()) {
    throw kubexmError('KX3008', { host: target.name, file: label, reason: 'it is a public key' });
  }
  return { label, key };
}

function parse(data: Buffer | string, passphrase: string | undefined): ssh2.ParsedKey | Error {
  const parsed = ssh2.utils.parseKey(data, passphrase) as ssh2.ParsedKey | ssh2.ParsedKey[] | Error;
  if (!Array.isArray(parsed)) return parsed;
  return parsed[0] ?? new Error('the file has no key');
}

function isEncrypted(error: Error): boolean {
  return /no passphrase given|Encrypted .*key detected/i.test(error.message);
}
