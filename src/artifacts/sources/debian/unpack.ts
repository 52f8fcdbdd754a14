import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { kubexmError } from '../../../model/errors/index.ts';
import type { TreeItem } from '../../oci/index.ts';
import { type Limits, type Member, untar, type Visit } from '../tar/untar.ts';
import type { Package } from './control.ts';

/** One path of an image, with where its content lies on this machine. */
export type Unpacked = Exclude<TreeItem, { readonly tree: string }>;

/** More than any package has. */
const LIMITS: Limits = { members: 100_000, bytes: 8 * 1024 ** 3 };

/** Directories that are links into /usr on every current Debian; older packages still name them. */
const MERGED = ['bin', 'lib', 'lib32', 'lib64', 'libx32', 'sbin'];

/** What a container never reads. Copyrights stay: licences ask for that. */
const LEFT_OUT = [
  /^usr\/share\/doc\/(?![^/]+(\/copyright)?$)/,
  /^usr\/share\/(apport|bash-completion|bug|doc-base|info|initramfs-tools|lintian|locale|man|vim|zsh)(\/|$)/,
  /^usr\/lib\/(systemd|tmpfiles\.d|sysusers\.d|udev|modprobe\.d)(\/|$)/,
  /^usr\/lib\/[^/]+\/gconv(\/|$)/,
  /^etc\/(cron\.[^/]+|default|init\.d|logrotate\.d|rsyslog\.d|ufw|vim|apparmor\.d)(\/|$)/,
];

/**
 * Reads packages into a list of paths; contents go to a directory under names of their own, so that no path of a package is
 * ever used on this machine. No maintainer script is run.
 */
export async function unpack(
  packages: readonly { readonly about: Package; readonly file: string }[],
  dir: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Unpacked>> {
  const items = new Map<string, Unpacked>();
  for (const { about, file } of packages) {
    try {
      await readPackage(file, env, signal, async (member, body) => {
        const path = merged(member.path);
        if (MERGED.includes(path) || LEFT_OUT.some((one) => one.test(path))) return;
        const item = await itemOf(path, member, body, items, join(dir, String(items.size)));
        const there = items.get(path);
        const twice = there !== undefined && !('directory' in there && 'directory' in item);
        if (twice) throw new Error(`${path} is in another package too`);
        items.set(path, item);
      });
    } catch (error) {
      signal.throwIfAborted();
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== undefined) throw error;
      throw kubexmError('KX7054', { package: `${about.name} ${about.version}`, reason: message }, { cause: error });
    }
  }
  return items;
}

/** Where a path lies once /bin, /lib and /sbin are links into /usr. */
export function merged(path: string): string {
  const inside = path.replace(/^\/+/, '');
  return MERGED.some((top) => inside.startsWith(`${top}/`)) ? `usr/${inside}` : inside;
}

/** The links that stand for /bin and its like, as far as something lies behind them. */
export function mergedLinks(paths: readonly string[]): readonly TreeItem[] {
  const used = MERGED.filter((top) => paths.some((path) => path.startsWith(`usr/${top}/`)));
  return used.map((top) => ({ path: top, link: `usr/${top}` }));
}

async function itemOf(
  path: string,
  member: Member,
  body: AsyncIterable<Buffer>,
  items: ReadonlyMap<string, Unpacked>,
  place: string,
): Promise<Unpacked> {
  // Nothing that gives its caller the rights of its owner.
  const mode = member.mode & 0o1777;
  switch (member.kind) {
    case 'directory':
      return { path, directory: true, mode };
    case 'link':
      return { path, link: member.target };
    case 'hard-link': {
      const other = items.get(merged(member.target));
      if (other === undefined) throw new Error(`${path} is a link to nothing`);
      return { ...other, path };
    }
    case 'file':
      await pipeline(body, createWriteStream(place, { flags: 'wx', mode: 0o600 }));
      return { path, file: place, mode };
    default:
      throw new Error(`${path} is neither a file, a directory nor a link`);
  }
}

async function readPackage(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
  visit: Visit,
): Promise<void> {
  signal.throwIfAborted();
  const child = spawn('dpkg-deb', ['--fsys-tarfile', file], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  };
  signal.addEventListener('abort', end, { once: true });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-2000);
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      said = error.message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  const reason = (): Error => new Error(said.trim().split('\n').at(-1) || 'dpkg-deb cannot read it');
  try {
    try {
      await untar(child.stdout, LIMITS, visit);
    } catch (error) {
      // What dpkg-deb says about a damaged package is the better reason, unless it complains that nobody listens any more.
      if (child.stdout.readableEnded && (await ended) !== 0 && said !== '') throw reason();
      throw error;
    }
    if ((await ended) !== 0) throw reason();
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}
