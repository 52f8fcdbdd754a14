import { join } from 'node:path';
import { kubexmError } from '../../model/errors/index.ts';
import type { Host, Output } from '../../model/host.ts';
import type { KeyAlgorithm } from '../../model/key-algorithm.ts';
import type { Script } from '../../model/script.ts';
import { generateKey, publicKeyOf } from '../../pki/index.ts';
import { defineStep, needed, type StepIo, satisfied, type Verdict } from '../../plan/step.ts';
import type { Kept } from './lib/kept.ts';
import { writeKept } from './lib/kept-file.ts';
import { isPrivate, keyAt, lookAtFiles, onlyLocal, parseFiles, textOf } from './lib/kept-pem.ts';
import { absolute, invalid } from './lib/path.ts';
import { metaOf, type SeenMeta } from './lib/seen-file.ts';
import { sha256 } from './lib/write.ts';

/** A pair of keys in the work directory: for the tokens of service accounts. */
export interface KeyPair {
  /** `certs/kubernetes` of the work directory: gets `NAME.key` and `NAME.pub`. */
  readonly directory: string;
  readonly name: string;
  /** Default: ecdsa-p256. */
  readonly keyAlgorithm?: KeyAlgorithm;
}

/** A pair of keys by its files. A type, not an interface, so that it is Json too. */
export type KeptKeyPair = {
  readonly key: Kept;
  readonly publicKey: Kept;
};

/** Makes a pair of keys. One that exists is never replaced: every token that it signed would stop working. */
export const keyPair = defineStep<KeyPair>()({
  kind: 'keyPair',
  description:
    'A private key and its public half in the work directory, made once; gives the paths and digests of both files. It is never replaced.',
  title: (want) => `key pair ${want.name}`,
  probe: look,
  judge,
  apply: make,
  saves: (want) => Object.values(pathsOf(want)),
  timeoutSeconds: 120,
  example: { directory: '/tmp/kubexm/certs/kubernetes', name: 'sa' },
});

function pathsOf({ directory, name }: KeyPair) {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw invalid(`${JSON.stringify(name)} cannot be the name of a key pair`);
  return { key: join(absolute(directory), `${name}.key`), publicKey: join(absolute(directory), `${name}.pub`) };
}

function look(want: KeyPair): Script {
  const { key, publicKey } = pathsOf(want);
  return lookAtFiles([{ path: key, secret: true }, { path: publicKey }]);
}

function judge(output: Output, want: KeyPair): Verdict<SeenMeta, KeptKeyPair> {
  const paths = pathsOf(want);
  const [keyFile, publicFile] = parseFiles(output);
  const seen = metaOf(keyFile);
  const key = keyAt(paths.key);
  if (key === undefined) {
    // The public half comes last: where it is, the other one was.
    if (publicFile.type !== 'absent') throw kubexmError('KX5102', { key: paths.key, path: paths.publicKey });
    return needed(seen, [{ what: paths.key, to: want.keyAlgorithm ?? 'ecdsa-p256' }]);
  }
  if (!isPrivate(keyFile)) return needed(seen, [{ what: `${paths.key}: mode`, to: '0600' }]);
  const text = textOf(publicFile);
  if (text !== publicKeyOf(key.text)) return needed(seen, [{ what: paths.publicKey, to: `of ${paths.key}` }]);
  return satisfied<KeptKeyPair>({
    key: { path: paths.key, sha256: key.sha256 },
    publicKey: { path: paths.publicKey, sha256: sha256(text) },
  });
}

async function make(host: Host, want: KeyPair, io: StepIo): Promise<KeptKeyPair | undefined> {
  onlyLocal(host, 'keyPair');
  const paths = pathsOf(want);
  const found = judge(await host.run(look(want), { signal: io.signal }), want);
  if (found.verdict === 'satisfied') return found.output;
  const key = keyAt(paths.key)?.text ?? (await generateKey(want.keyAlgorithm ?? 'ecdsa-p256'));
  io.signal.throwIfAborted();
  await writeKept(paths.key, key);
  await writeKept(paths.publicKey, publicKeyOf(key));
  return undefined;
}
