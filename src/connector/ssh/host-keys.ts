import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type KubexmError, kubexmError } from '../../model/errors/index.ts';
import { bareAddress, type Target } from '../target.ts';
import {
  fingerprint,
  judgeHostKey,
  type KnownHost,
  keyType,
  knownName,
  parseKnownHosts,
  preferredAlgorithms,
} from './known-hosts.ts';

/** Decides about one host's key. */
export interface HostKeyCheck {
  /** In the order to offer. */
  readonly algorithms: readonly string[];
  /** The error to report, or undefined when the key is good. A new key is pinned first. */
  verify(key: Buffer): Promise<KubexmError | undefined>;
}

/** Reads what is known about a target's host key. */
export async function hostKeyCheck(target: Target): Promise<HostKeyCheck> {
  const name = knownName(target.hostKeyAlias ?? bareAddress(target.address), target.hostKeyAlias ? 22 : target.port);
  const files = [target.hostKeys.pinFile, ...(target.hostKeys.files ?? [])];
  const entries = (await Promise.all(files.map(readEntries))).flat();
  return {
    algorithms: preferredAlgorithms(entries, name),
    async verify(key) {
      if (target.hostKey !== undefined) return checkGiven(target, target.hostKey, key);
      return check(target, entries, name, key);
    },
  };
}

async function check(
  target: Target,
  entries: KnownHost[],
  name: string,
  key: Buffer,
): Promise<KubexmError | undefined> {
  const seen = fingerprint(key);
  const verdict = judgeHostKey(entries, name, key);
  switch (verdict.kind) {
    case 'trusted':
      return undefined;
    case 'revoked':
      return kubexmError('KX3006', { host: target.name, seen, file: verdict.by.file }, { host: target.name });
    case 'changed': {
      const known = fingerprint(Buffer.from(verdict.known.key, 'base64'));
      const file = `${verdict.known.file}:${verdict.known.line}`;
      return kubexmError('KX3005', { host: target.name, known, seen, file }, { host: target.name });
    }
    case 'new':
      if (target.hostKeys.policy === 'strict') {
        const file = target.hostKeys.pinFile;
        return kubexmError('KX3007', { host: target.name, seen, file }, { host: target.name });
      }
      await pin(target.hostKeys.pinFile, `${name} ${keyType(key)} ${key.toString('base64')}`);
      return undefined;
  }
}

function checkGiven(target: Target, given: string, key: Buffer): KubexmError | undefined {
  const seen = fingerprint(key);
  const [type, base64] = given.trim().split(/\s+/);
  const known =
    given.startsWith('SHA256:') || base64 === undefined ? given : fingerprint(Buffer.from(base64, 'base64'));
  if (known === seen && (base64 === undefined || type === keyType(key))) return undefined;
  return kubexmError('KX3005', { host: target.name, known, seen, file: 'hostKey' }, { host: target.name });
}

async function readEntries(file: string): Promise<KnownHost[]> {
  try {
    return parseKnownHosts(await readFile(file, 'utf8'), file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw kubexmError('KX3017', { file, detail: (error as Error).message }, { cause: error });
  }
}

/** One short write to a file opened for appending: lines of several processes never mix. */
async function pin(file: string, line: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(file, 'a+', 0o600);
    try {
      const { size } = await handle.stat();
      const last = Buffer.alloc(1);
      if (size > 0) await handle.read(last, 0, 1, size - 1);
      const separator = size > 0 && last[0] !== 0x0a ? '\n' : '';
      await handle.write(`${separator}${line}\n`);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw kubexmError('KX3017', { file, detail: (error as Error).message }, { cause: error });
  }
}
