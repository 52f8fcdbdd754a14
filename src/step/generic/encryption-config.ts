import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parse, stringify } from 'yaml';
import { kubexmError } from '../../model/errors/index.ts';
import type { Host, Output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import { defineStep, needed, type StepIo, satisfied, type Verdict } from '../../plan/step.ts';
import type { Kept } from './lib/kept.ts';
import { writeKept } from './lib/kept-file.ts';
import { foundAgain, isPrivate, lookAtFiles, onlyLocal, parseFiles } from './lib/kept-pem.ts';
import { absolute } from './lib/path.ts';
import { metaOf, type SeenMeta } from './lib/seen-file.ts';
import { sha256 } from './lib/write.ts';

/** How API servers encrypt what they store, with a key that is made once. */
export interface EncryptionConfig {
  /** In the work directory. */
  readonly path: string;
  readonly provider: 'secretbox' | 'aescbc';
  /** `secrets`, `configmaps`, `*.apps`. */
  readonly resources: readonly string[];
}

/** Both providers take keys of 32 bytes. */
const KEY_BYTES = 32;

/** Makes it. Its key is never replaced: what was stored with it could not be read any more. */
export const encryptionConfig = defineStep<EncryptionConfig>()({
  kind: 'encryptionConfig',
  description:
    'The EncryptionConfiguration of API servers in the work directory, mode 0600, with a key that is made once and never replaced; gives its path and digest.',
  title: (want) => `encryption by ${want.provider} in ${basename(String(want.path))}`,
  probe: look,
  judge,
  apply: make,
  saves: (want) => [want.path],
  example: { path: '/tmp/kubexm/certs/kubernetes/encryption.yaml', provider: 'secretbox', resources: ['secrets'] },
});

/** Without its content, which is a secret: what a probe prints passes through a shell. */
function look({ path }: EncryptionConfig): Script {
  return lookAtFiles([{ path: absolute(path), secret: true }]);
}

function judge(output: Output, want: EncryptionConfig): Verdict<SeenMeta, Kept> {
  const [file] = parseFiles(output);
  const seen = metaOf(file);
  if (file.type === 'absent') return needed(seen, [{ what: want.path, to: `${want.provider} with a new key` }]);
  const there = readFileSync(want.path, 'utf8');
  if (there !== textOf(want, keyIn(there, want))) return needed(seen, [{ what: want.path, to: want.provider }]);
  if (!isPrivate(file)) return needed(seen, [{ what: `${want.path}: mode`, to: '0600' }]);
  return satisfied<Kept>({ path: want.path, sha256: sha256(there) });
}

async function make(host: Host, want: EncryptionConfig, io: StepIo): Promise<Kept | undefined> {
  onlyLocal(host, 'encryptionConfig');
  const found = await foundAgain(host, { look, judge }, want, io);
  if (found !== undefined) return found;
  const there = contentOf(want.path);
  const key = there === undefined ? randomBytes(KEY_BYTES).toString('base64') : keyIn(there, want);
  return await writeKept(want.path, textOf(want, key));
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

interface Document {
  readonly resources?: readonly {
    readonly providers?: readonly Readonly<
      Record<string, { readonly keys?: readonly { readonly secret?: string }[] } | undefined>
    >[];
  }[];
}

/** The key of a file that is there. Without it nobody could read what is stored: a file that has none is refused. */
function keyIn(text: string, { path, provider }: EncryptionConfig): string {
  const secret = secretIn(text, provider);
  if (secret === undefined || Buffer.from(secret, 'base64').length !== KEY_BYTES) throw kubexmError('KX5110', { path });
  return secret;
}

function secretIn(text: string, provider: string): string | undefined {
  try {
    const document = parse(text) as Document | null;
    const providers = document?.resources?.[0]?.providers ?? [];
    return providers.find((one) => one[provider] !== undefined)?.[provider]?.keys?.[0]?.secret;
  } catch {
    return undefined;
  }
}

/** What is stored before is read as it is: `identity` comes last. */
function textOf({ provider, resources }: EncryptionConfig, secret: string): string {
  return stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [
      {
        resources: [...resources],
        providers: [{ [provider]: { keys: [{ name: 'kubexm', secret }] } }, { identity: {} }],
      },
    ],
  });
}
