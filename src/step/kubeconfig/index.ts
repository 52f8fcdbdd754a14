import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import type { Kept } from '../generic/index.ts';
import { absolute } from '../generic/lib/path.ts';
import { lookAt, metaOf, parseSeen } from '../generic/lib/seen-file.ts';

/** A host's kubeconfig, to be used from this machine. */
export interface Kubeconfig {
  /** On the host. */
  readonly path: string;
  /** On this machine, in the work directory. */
  readonly to: string;
  /** What the host's own says of the server: a name that perhaps only nodes know. */
  readonly inside: string;
  /** The address of the server for this machine; its certificate knows it. */
  readonly outside: string;
}

/**
 * Keeps a kubeconfig here, for its owner only. An action: it changes nothing on the host. The copy differs from the original in
 * the server alone, so that turned back it must have the original's digest: no probe ever sees the key in it.
 */
export const kubeconfig = defineStep<Kubeconfig>()({
  kind: 'kubeconfig',
  description: 'A kubeconfig of the host, kept on the machine kubexm runs on with mode 0600 and an address it reaches.',
  title: (want) => `fetch ${want.path}`,
  nature: 'action',
  probe: (want) => lookAt(want.path, { follow: true }),
  judge: (output, want) => {
    const seen = parseSeen(output);
    const text = seen.type === 'file' ? keptText(want.to) : undefined;
    if (
      text !== undefined &&
      serverOf(text) === want.outside &&
      digest(withServer(text, want.inside)) === seen.sha256
    ) {
      return satisfied<Kept>({ path: want.to, sha256: digest(text) });
    }
    return needed(metaOf(seen), [{ what: want.to, to: `copy of ${want.path} for ${want.outside}` }]);
  },
  apply: async (host, want, io): Promise<Kept> => {
    const part = `${absolute(want.to)}.${process.pid}`;
    await mkdir(dirname(part), { recursive: true, mode: 0o700 });
    try {
      await host.get(absolute(want.path), part, { mode: '0600', signal: io.signal, maxBytes: MAX_BYTES });
      const text = withServer(await readFile(part, 'utf8'), want.outside);
      await writeFile(part, text, { mode: 0o600 });
      await rename(part, want.to);
      return { path: want.to, sha256: digest(text) };
    } finally {
      await rm(part, { force: true });
    }
  },
  example: {
    path: '/etc/kubernetes/admin.conf',
    to: '/tmp/kubexm/kubeconfig',
    inside: 'https://lb.kubexm.local:6443',
    outside: 'https://192.0.2.1:6443',
  },
});

/** One with several certificates in it has some ten kilobytes. */
const MAX_BYTES = 1024 * 1024;

const SERVER = /^(\s*server:\s*)(\S+)$/m;

function serverOf(text: string): string | undefined {
  return SERVER.exec(text)?.[2];
}

function withServer(text: string, server: string): string {
  return text.replace(SERVER, (_, key: string) => key + server);
}

/** The copy, if it is there and for nobody else to read. */
function keptText(path: string): string | undefined {
  try {
    return (statSync(path).mode & 0o777) === 0o600 ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
