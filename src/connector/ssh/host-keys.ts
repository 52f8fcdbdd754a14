import { mkdir, open, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseHostKey, type WrittenHostKey } from '../../model/cluster/host-key.ts';
import { type KubexmError, kubexmError } from '../../model/errors/index.ts';
import { sh } from '../../model/script.ts';
import { bareAddress, type ShownKey, type Target } from '../target.ts';
import {
  fingerprint,
  type HostKeyVerdict,
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
  /**
   * After a refusal: asks about the key if a person may accept it, and pins it then. Called when the connection is closed: a
   * person takes longer than a login may. False where there is nothing to ask; throws when it was not accepted.
   */
  accepted(): Promise<boolean>;
}

/** Reads what is known about a target's host key. */
export async function hostKeyCheck(target: Target): Promise<HostKeyCheck> {
  const name = knownName(target.hostKeyAlias ?? bareAddress(target.address), target.hostKeyAlias ? 22 : target.port);
  const files = [target.hostKeys.pinFile, ...(target.hostKeys.files ?? [])];
  const entries = (await Promise.all(files.map(readEntries))).flat();
  const given = target.hostKey?.flatMap((text) => parseHostKey(text) ?? []);
  let unknown: Buffer | undefined;
  return {
    algorithms: preferredAlgorithms(given ? entriesOf(given, name) : entries, name),
    async verify(key) {
      const verdict = judgeHostKey(entries, name, key);
      if (given && verdict.kind !== 'revoked') return checkGiven(target, given, key);
      if (verdict.kind !== 'new') return refusal(target, verdict, name, key);
      if (target.hostKeys.policy === 'ask') {
        unknown = key;
        return notKnown('KX3028', target, key);
      }
      if (target.hostKeys.policy === 'strict') return notKnown('KX3007', target, key);
      if (await pin(target.hostKeys.pinFile, name, key)) target.hostKeys.onPinned?.(shown(target, key));
      return undefined;
    },
    async accepted() {
      if (!unknown) return false;
      const answer = (await target.hostKeys.ask?.(shown(target, unknown))) ?? 'nobody there';
      if (answer !== 'yes') throw notKnown(answer === 'no' ? 'KX3029' : 'KX3028', target, unknown);
      await pin(target.hostKeys.pinFile, name, unknown);
      return true;
    },
  };
}

const lineOf = (name: string, key: Buffer) => `${name} ${keyType(key)} ${key.toString('base64')}`;

function shown({ name, address }: Target, key: Buffer): ShownKey {
  return { host: name, address, type: keyType(key), fingerprint: fingerprint(key) };
}

function notKnown(code: 'KX3007' | 'KX3028' | 'KX3029', { name: host, hostKeys }: Target, key: Buffer): KubexmError {
  return kubexmError(code, { host, seen: fingerprint(key), file: hostKeys.pinFile }, { host });
}

/** What known_hosts files say against a key. */
function refusal(
  { name: host }: Target,
  verdict: Exclude<HostKeyVerdict, { readonly kind: 'new' }>,
  name: string,
  key: Buffer,
): KubexmError | undefined {
  const seen = fingerprint(key);
  switch (verdict.kind) {
    case 'trusted':
      return undefined;
    case 'revoked':
      return kubexmError('KX3006', { host, seen, file: verdict.by.file }, { host });
    case 'changed': {
      const { file, line, key: old } = verdict.known;
      const known = fingerprint(Buffer.from(old, 'base64'));
      const command = sh`ssh-keygen -R ${name} -f ${file}`.script;
      return kubexmError('KX3005', { host, known, seen, file: `${file}:${line}`, command }, { host });
    }
  }
}

function checkGiven({ name: host }: Target, given: readonly WrittenHostKey[], key: Buffer): KubexmError | undefined {
  const seen = fingerprint(key);
  const known = given.map((one) => ('key' in one ? fingerprint(Buffer.from(one.key, 'base64')) : one.fingerprint));
  return known.includes(seen) ? undefined : kubexmError('KX3027', { host, known: known.join(', '), seen }, { host });
}

/** Keys of the configuration as known_hosts would have them: the server is asked for one of these. */
function entriesOf(given: readonly WrittenHostKey[], name: string): readonly KnownHost[] {
  const keys = given.flatMap((one) => ('key' in one ? [one] : []));
  return keys.map((one) => ({ ...one, patterns: name, revoked: false, file: '', line: 0 }));
}

/** Files that were parsed, each as it was then: thousands of hosts share a few of them. */
const parsed = new Map<string, { readonly state: string; readonly entries: Promise<readonly KnownHost[]> }>();

async function readEntries(file: string): Promise<readonly KnownHost[]> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    const state = [dev, ino, size, mtimeNs, ctimeNs].join(' ');
    const known = parsed.get(file);
    if (known?.state === state) return await known.entries;
    const entries = readFile(file, 'utf8').then((text) => parseKnownHosts(text, file));
    parsed.set(file, { state, entries });
    entries.catch(() => parsed.delete(file));
    return await entries;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw kubexmError('KX3017', { file, detail: (error as Error).message }, { cause: error });
  }
}

/** Who pins a key now: the next one waits, and sees it. */
let pinning: Promise<unknown> = Promise.resolve();
/** Lines that this process pinned. Only for these the file is read again, which would take long for thousands of new hosts. */
const pinned = new Set<string>();

/** Pins a key unless it is pinned already, as that of a host that is a bastion too. Tells whether it did. */
function pin(file: string, name: string, key: Buffer): Promise<boolean> {
  const line = lineOf(name, key);
  const id = `${file}\n${line}`;
  const done = pinning.then(async () => {
    if (pinned.has(id) && judgeHostKey(await readEntries(file), name, key).kind === 'trusted') return false;
    await append(file, line);
    pinned.add(id);
    return true;
  });
  pinning = done.catch(() => undefined);
  return done;
}

/** One short write to a file opened for appending: lines of several processes never mix. */
async function append(file: string, line: string): Promise<void> {
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
