import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { KubexmError, kubexmError } from '../../../model/errors/index.ts';
import { type Host, LOCAL, type Output, output } from '../../../model/host.ts';
import { lines, type Script, sh } from '../../../model/script.ts';
import { type Chain, certificatesIn, readPrivateKey } from '../../../pki/index.ts';
import type { StepIo, Verdict } from '../../../plan/step.ts';
import { invalid } from './path.ts';
import { lookAt, parseSeen, type SeenFile } from './seen-file.ts';
import { sha256 } from './write.ts';

/** More than any chain of certificates needs. */
const LONGEST = 1024 * 1024;

/** A private key as a judge read it. */
export interface SeenKey {
  readonly key: KeyObject;
  readonly text: string;
  readonly sha256: string;
}

/** Files are kept on the machine kubexm runs on: nothing is made elsewhere. */
export function onlyLocal(host: Host, kind: string): void {
  if (host.name !== LOCAL) throw invalid(`${kind} works on the local machine only, not on ${host.name}`);
}

/**
 * What a step makes, where it is there already. Asked through the host, so that the before-image is kept first; and again, because what
 * is there must not be made twice.
 */
export async function foundAgain<Want, Made>(
  host: Host,
  { look, judge }: { look(want: Want): Script; judge(output: Output, want: Want): Verdict<unknown, Made> },
  want: Want,
  { signal }: Pick<StepIo, 'signal'>,
): Promise<Made | undefined> {
  const found = judge(await host.run(look(want), { signal }), want);
  return found.verdict === 'satisfied' ? found.output : undefined;
}

/** A script that describes files one after the other: public ones with what is in them, secret ones without. */
export function lookAtFiles(files: readonly { readonly path: string; readonly secret?: boolean }[]): Script {
  const look = ({ path, secret }: { readonly path: string; readonly secret?: boolean }) =>
    lookAt(path, {
      follow: true,
      ...(secret === true ? { noDigest: true } : { contentUnless: { sha256: '', maxBytes: LONGEST } }),
    });
  return lines(...files.map((file) => sh`${look(file)}\nprintf '\\0'`));
}

/** What `lookAtFiles` found, in its order. What it was not asked for is absent. */
export function parseFiles(found: Output): readonly [SeenFile, SeenFile, SeenFile, SeenFile] {
  const parts = found.stdout.split('\0');
  const at = (i: number) => parseSeen(output(0, parts[i] ?? ''));
  return [at(0), at(1), at(2), at(3)];
}

/** The text of a public file that was looked at. */
export function textOf(seen: SeenFile): string {
  return seen.type === 'file' ? Buffer.from(seen.rest).toString('utf8') : '';
}

/** The certificates of a file that was looked at; undefined where it holds none. */
export function chainOf(seen: SeenFile): Chain | undefined {
  return certificatesIn(textOf(seen));
}

/**
 * A private key of this machine; undefined where there is no file. Throws where there is one that cannot be used: it may be the
 * only copy of a key, behind a wrong mode or a passphrase, and nobody may write over it. Judges call it: what a probe prints
 * passes through a shell, and a key must not.
 */
export function keyAt(path: string): SeenKey | undefined {
  const unusable = (cause?: unknown) => kubexmError('KX5101', { path, what: 'private key' }, { cause });
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(error);
  }
  const key = readPrivateKey(text);
  if (key === undefined) throw unusable();
  return { key, text, sha256: sha256(text) };
}

/** The same for a key that can be made or copied again at any time: one that cannot be used counts as absent. */
export function replaceableKeyAt(path: string): SeenKey | undefined {
  try {
    return keyAt(path);
  } catch (error) {
    if (error instanceof KubexmError) return undefined;
    throw error;
  }
}

/** Whether a key's file is there with the mode that keeps others from reading it. */
export function isPrivate(seen: SeenFile): boolean {
  return seen.type === 'file' && (seen.mode & 0o777) === 0o600;
}
