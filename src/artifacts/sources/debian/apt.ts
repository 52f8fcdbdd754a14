import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Arch } from '../../../model/catalog/schema.ts';
import { kubexmError } from '../../../model/errors/index.ts';
import type { SupplyIo } from '../../cache/types.ts';
import { type Ended, run } from '../go/run.ts';
import { aptConfig, aptEnvironment } from './apt-config.ts';
import { type Package, parsePackages } from './control.ts';

/** Packages of the machine's own apt sources, for any processor. */
export interface Apt {
  lookUp(names: readonly string[]): Promise<readonly Package[]>;
  /** Reads the indexes again, whatever their age; false where they were read only now. */
  refresh(): Promise<boolean>;
  /** What went wrong when the indexes were read, if not all of them came. */
  trouble(): Error | undefined;
  /** Where the package's file is, fetched unless it is there, and checked by the digest of the signed index. */
  fetch(packages: readonly Package[]): Promise<readonly string[]>;
}

const TOOLS = ['apt-config', 'apt-cache', 'apt-get', 'dpkg-deb'];
/** Indexes older than this are read again. */
const FRESH_MS = 24 * 3600 * 1000;
/** Packages that no image needed for so long go. */
const KEEP_MS = 30 * 24 * 3600 * 1000;
const LOOK_MS = 500;

/**
 * Opens a private apt: the sources, keys, passwords and network settings of the machine, but indexes, packages and processor of
 * its own. Nothing of the machine's apt is changed, and none of its hooks run. Only one may use a root at a time.
 */
export async function openApt(root: string, work: string, arch: Arch, io: SupplyIo): Promise<Apt> {
  const env = aptEnvironment(io.env, join(work, 'apt.conf'));
  const call = async (command: string, args: readonly string[], cwd = work): Promise<Ended> => {
    const ended = await run(command, args, { cwd, env, signal: io.signal });
    if (ended.failure === 'missing') throw kubexmError('KX7051', { missing: command });
    return ended;
  };
  await prepare(root, work, arch, env, io);
  const archives = join(root, 'archives');
  const stamp = join(root, 'updated');
  let isNew = false;
  let trouble: Error | undefined;
  const refresh = async (): Promise<boolean> => {
    if (isNew) return false;
    isNew = true;
    io.say(`reading the package indexes for ${arch}`);
    const ended = await call('apt-get', ['update', '-q']);
    if (ended.code !== 0) throw failed(arch, ended);
    // Sources that did not answer are only warnings; old indexes, if there are any, stay in use.
    const isWhole = !ended.tail.some((line) => /^W: (Failed to fetch|Some index files)/.test(line));
    if (isWhole) await writeFile(stamp, '');
    else trouble = failed(arch, ended);
    return true;
  };
  const age = await stat(stamp).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
  try {
    if (age > FRESH_MS) await refresh();
  } catch (error) {
    io.signal.throwIfAborted();
    // Old indexes, and packages that came with them, are better than none.
    if (age === Number.POSITIVE_INFINITY) throw error;
    io.say(`going on with old package indexes: ${(error as Error).message}`);
  }

  return {
    refresh,
    trouble: () => trouble,
    async lookUp(names) {
      // It fails when it knows none of them, and says so of some.
      const { stdout } = await call('apt-cache', ['show', '--no-all-versions', ...names]);
      return parsePackages(stdout);
    },
    async fetch(packages) {
      const places = packages.map((one) => join(archives, `${one.sha256}.deb`));
      const absent: Package[] = [];
      for (const [i, one] of packages.entries()) {
        if ((await digestOfFile(places[i] ?? '')) !== one.sha256) absent.push(one);
      }
      if (absent.length > 0) {
        io.say(`fetching ${absent.length} packages for ${arch}`);
        const arrived = await mkdtemp(join(work, 'arrived-'));
        const names = absent.map(({ name, version }) => `${name}=${version}`);
        const total = absent.reduce((sum, { size }) => sum + size, 0);
        const stop = watch(arrived, (bytes) => io.progress(Math.min(bytes, total), total));
        const ended = await call('apt-get', ['download', '-q', ...names], arrived).finally(stop);
        if (ended.code !== 0) throw failed(arch, ended);
        await keep(absent, arrived, archives);
      }
      await sweep(archives, places);
      return places;
    },
  };
}

/** Makes the directories and the settings. */
async function prepare(
  root: string,
  work: string,
  arch: Arch,
  env: Readonly<Record<string, string>>,
  io: SupplyIo,
): Promise<void> {
  for (const dir of ['state/lists/partial', 'cache/archives/partial', 'archives']) {
    await mkdir(join(root, dir), { recursive: true });
  }
  await writeFile(join(root, 'state/status'), '');
  await writeFile(join(work, 'apt.conf'), '', { mode: 0o600 });
  const theirs = await run('apt-config', ['dump'], {
    cwd: work,
    env: { ...env, APT_CONFIG: io.env['APT_CONFIG'] || '/dev/null' },
    signal: io.signal,
  });
  const missing = await missingTools(env, io);
  if (missing.length > 0) throw kubexmError('KX7051', { missing: missing.join(', ') });
  if (theirs.code !== 0) throw failed(arch, theirs);
  // It may hold passwords of proxies: readable by its owner only, and gone with the work directory.
  await writeFile(join(work, 'apt.conf'), aptConfig(theirs.stdout, root, arch), { mode: 0o600 });
}

/** Tells how much has arrived: apt itself tells only terminals. */
function watch(dir: string, told: (bytes: number) => void): () => void {
  const look = async (): Promise<void> => {
    let bytes = 0;
    for (const name of await readdir(dir, { recursive: true })) {
      const found = await stat(join(dir, name));
      if (found.isFile()) bytes += found.size;
    }
    told(bytes);
  };
  // A file may be gone between being named and being looked at.
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  return () => clearInterval(timer);
}

/** Gives packages the names of their digests, which the signed index has: whatever else came is not used. */
async function keep(packages: readonly Package[], arrived: string, archives: string): Promise<void> {
  const byDigest = new Map<string, string>();
  for (const name of await readdir(arrived)) {
    const digest = await digestOfFile(join(arrived, name));
    if (digest !== undefined) byDigest.set(digest, join(arrived, name));
  }
  for (const { name, version, sha256 } of packages) {
    const file = byDigest.get(sha256);
    if (file === undefined) {
      throw kubexmError('KX7054', { package: `${name} ${version}`, reason: 'it is not what the signed index says' });
    }
    await rename(file, join(archives, `${sha256}.deb`));
  }
  await rm(arrived, { recursive: true });
}

async function digestOfFile(file: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}

async function sweep(archives: string, used: readonly string[]): Promise<void> {
  const now = new Date();
  for (const file of used) await utimes(file, now, now);
  for (const name of await readdir(archives)) {
    const path = join(archives, name);
    if (now.getTime() - (await stat(path)).mtimeMs > KEEP_MS) await rm(path, { force: true });
  }
}

/** What of apt's programs is not on this machine. */
export async function missingTools(
  env: Readonly<Record<string, string>>,
  io: Pick<SupplyIo, 'signal'>,
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const tool of TOOLS) {
    const { failure } = await run(tool, ['--version'], { cwd: '/', env, signal: io.signal });
    if (failure === 'missing') missing.push(tool);
  }
  return missing;
}

/** The first error is the cause; passwords in addresses are not shown. */
function failed(arch: Arch, { code, tail, stdout }: Ended): Error {
  const lines = [...stdout.split('\n'), ...tail].filter((line) => /^(E|W|Err):?/.test(line)).map(withoutPasswords);
  const first = lines.find((line) => line.startsWith('E:')) ?? lines[0];
  const why = first?.replace(/^\w+: */, '') ?? `exit code ${code}`;
  return kubexmError('KX7053', { arch, reason: why }, lines.length > 0 ? { detail: lines.slice(-20).join('\n') } : {});
}

function withoutPasswords(line: string): string {
  return line.replace(/(\w+:\/\/)[^/\s@]*@/g, '$1');
}
