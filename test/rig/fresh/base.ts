import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { artifactCacheDir } from '../../../src/artifacts/cache/index.ts';
import { deb822, readSources, sourcesFor } from '../../../src/lab/nspawn/sources.ts';
import { enter, type Place } from './machine.ts';
import type { Variant } from './variants.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Mirrors drop the versions that a root was made with after a while. */
const KEEP_MS = 30 * DAY_MS;

/** How this machine reaches its mirrors and registries, and whom it trusts: the only things that a fresh one gets from it. */
const SHARED = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/ssl/certs/ca-certificates.crt',
  '/usr/local/share/ca-certificates',
  '/etc/apt/apt.conf.d',
  '/etc/npmrc',
  '/usr/etc/npmrc',
] as const;

/** Where roots are kept. */
export function freshCache(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'kubexm', 'fresh');
}

/** The programs and images that are on this machine, for one that shall not build them again. */
export function sharedArtifacts(): NonNullable<Place['copies']> {
  return { [artifactCacheDir(process.env)]: '/root/.cache/kubexm/artifacts' };
}

/** Why there can be no fresh machine here; undefined where there can be one. */
export function freshProblem(): string | undefined {
  if (process.env['KUBEXM_TEST_FRESH'] === 'inside') return 'this is a fresh machine already';
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux';
  if (spawnSync('mmdebstrap', ['--version']).status !== 0) return 'needs mmdebstrap';
  if (sourcesFor(readSources('/etc/apt'), 'bookworm').length === 0) return 'needs a mirror of Debian';
  return undefined;
}

/** The root of a variant: made once, then kept for a month. Nothing may write to it. */
export async function freshBase(variant: Variant): Promise<string> {
  const sources = sourcesFor(readSources('/etc/apt'), variant.release).map(deb822).join('\n');
  const digest = createHash('sha256')
    .update(JSON.stringify([variant, sources]))
    .digest('hex')
    .slice(0, 12);
  const cache = freshCache();
  const base = join(cache, `${variant.name}-${digest}`);
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  removeOld(cache);
  if (existsSync(base)) return base;
  const making = `${base}.making.${process.pid}`;
  try {
    const include = `--include=${variant.packages.join(',')}`;
    const args = ['--quiet', '--variant=minbase', include, variant.release, making, '-'];
    succeed('mmdebstrap', spawnSync('mmdebstrap', args, { input: sources, encoding: 'utf8' }));
    for (const path of SHARED) share(path, join(making, path));
    // Tests have a home of their own; how npm is set up is in the user's.
    share(join(userInfo().homedir, '.npmrc'), join(making, 'root/.npmrc'));
    if (variant.prepare !== undefined) await prepare(making, variant.prepare);
    if (existsSync(base)) return base;
    renameSync(making, base);
    return base;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

async function prepare(root: string, script: string): Promise<void> {
  await using machine = await enter({ root });
  const { code, output } = await machine.run(`set -e\n${script}`);
  if (code !== 0) throw new Error(`a fresh machine could not be prepared: ${output}`);
}

function share(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, force: true, dereference: true });
}

/** Removes roots that are too old, and those whose maker is gone. */
function removeOld(cache: string): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const maker = /\.making\.(\d+)$/.exec(name)?.[1];
    const stale = maker === undefined ? Date.now() - statSync(path).mtimeMs > KEEP_MS : !existsSync(`/proc/${maker}`);
    if (name !== 'uses' && stale) rmSync(path, { recursive: true, force: true });
  }
}

function succeed(what: string, { status, stderr, error }: SpawnSyncReturns<string>): void {
  if (status !== 0) throw new Error(`${what} failed: ${error?.message ?? stderr}`);
}
