import { kubexmError } from '../model/errors/index.ts';
import type { Machine } from '../model/host.ts';
import type { HostManifest, ManifestChange, ManifestEntry } from '../model/manifest.ts';
import { sh } from '../model/script.ts';

/** Whose a machine is. */
export interface ManifestOwner {
  readonly uid: string;
  readonly cluster: string;
}

const MOST_BYTES = 64 * 1024 * 1024;

/** Asks a machine whose it is; undefined when it is nobody's. */
export async function readManifestOwner(machine: Machine): Promise<ManifestOwner | undefined> {
  const [output] = await machine.batch([sh`kx_manifest_owner`]);
  if (output?.code !== 0) throw unreadable(machine.name, output?.stderr.trim() ?? '');
  return output.stdout === '' ? undefined : parseOwner(output.stdout);
}

/** Reads a machine's manifest; undefined when it has none. */
export async function readManifest(machine: Machine): Promise<HostManifest | undefined> {
  const [output] = await machine.batch([sh`kx_manifest_show`], { maxBytes: MOST_BYTES, timeoutSeconds: 300 });
  if (output?.code !== 0) throw unreadable(machine.name, output?.stderr.trim() ?? '');
  if (output.truncated) throw unreadable(machine.name, 'it is too long');
  try {
    return parseManifest(output.stdout);
  } catch (error) {
    throw unreadable(machine.name, error instanceof Error ? error.message : String(error));
  }
}

/** What `kx_manifest_show` printed: the owner, which slots have an image, then metas and paths as `head -v` prints files. */
export function parseManifest(text: string): HostManifest | undefined {
  if (text === '') return undefined;
  const [front = '', ...parts] = text.split(/^==> (\d{6}\/(?:meta|\d+\/path)) <==\n/m);
  const existed = new Set(front.split('\n').flatMap((line) => (line.startsWith('image ') ? [line.slice(6)] : [])));
  const metas = new Map<string, ManifestChange>();
  const paths = new Map<string, { path: string; existed: boolean }[]>();
  for (let i = 0; i < parts.length; i += 2) {
    const name = parts[i] ?? '';
    const body = parts[i + 1] ?? '';
    const seq = name.slice(0, 6);
    if (name.endsWith('/meta')) {
      metas.set(seq, JSON.parse(body) as ManifestChange);
    } else {
      // An empty line before every file but the first of its kind; the last one ends with its own line end.
      const path = body.slice(0, i + 2 < parts.length ? -2 : -1);
      const slot = name.slice(0, -'/path'.length);
      paths.set(seq, [...(paths.get(seq) ?? []), { path, existed: existed.has(slot) }]);
    }
  }
  const entries = [...metas].map(([seq, change]): ManifestEntry => ({ seq, ...change, paths: paths.get(seq) ?? [] }));
  return { ...parseOwner(front), entries };
}

function parseOwner(text: string): ManifestOwner {
  const [, uid = '', cluster = ''] = /^(\S+) (.*)$/m.exec(text) ?? [];
  if (uid === '') throw new Error('it does not say whose it is');
  return { uid, cluster };
}

function unreadable(host: string, reason: string): Error {
  return kubexmError('KX8102', { host, reason }, { host });
}
