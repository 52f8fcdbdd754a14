import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Arch } from '../../../model/catalog/schema.ts';
import { kubexmError } from '../../../model/errors/index.ts';
import type { AskIo, Missing, SupplyIo } from '../../cache/types.ts';
import { locked } from '../../oci/index.ts';
import { type Apt, missingTools, openApt } from './apt.ts';
import { aptEnvironment } from './apt-config.ts';
import { type Closure, closureOf } from './closure.ts';
import type { Package } from './control.ts';
import { librariesOf } from './libraries.ts';
import { merged, mergedLinks, type Unpacked, unpack } from './unpack.ts';

export { merged, mergedLinks };

/** The files of packages, and which packages came. */
export interface DebianTree {
  readonly items: readonly Unpacked[];
  /** `iptables=1.8.9-2`, by name. */
  readonly packages: readonly string[];
}

/**
 * Gets packages with the libraries that they need, for any processor, from the machine's own apt sources. What lies in the work
 * directory must stay until the items have been used.
 */
export async function debianTree(
  names: readonly string[],
  arch: Arch,
  work: string,
  cacheDir: string,
  io: SupplyIo,
): Promise<DebianTree> {
  const root = join(cacheDir, 'debian', arch);
  const files = join(work, 'files');
  await mkdir(root, { recursive: true });
  await mkdir(files);
  return await locked(join(root, 'lock'), io.signal, async () => {
    const apt = await openApt(root, work, arch, io);
    const packages = await fetched(apt, names, arch, io);
    io.say(`unpacking packages of Debian for ${arch}`);
    const unpacked = await unpack(packages, files, io.env, io.signal);
    await checkLibraries(unpacked, names);
    return {
      items: [...(await withCertificates(unpacked)).values()],
      packages: packages.map(({ about }) => `${about.name}=${about.version}`),
    };
  });
}

/** What this machine lacks for images with packages of Debian. */
export async function missingForDebian(by: string, io: AskIo): Promise<readonly Missing[]> {
  const tools = await missingTools(aptEnvironment(io.env, '/dev/null'), io);
  return tools.length === 0 ? [] : [{ need: 'apt', by, reason: `${tools.join(', ')}: not on this machine` }];
}

/** Indexes may be old: what they lack, or name although it is gone, is looked for once more in new ones. */
async function fetched(
  apt: Apt,
  names: readonly string[],
  arch: Arch,
  io: SupplyIo,
): Promise<readonly { readonly about: Package; readonly file: string }[]> {
  const get = async (): Promise<readonly { readonly about: Package; readonly file: string }[]> => {
    const { packages, missing }: Closure = await closureOf(names, apt.lookUp);
    if (missing.length > 0) throw apt.trouble() ?? kubexmError('KX7052', { packages: missing.join(', '), arch });
    const files = await apt.fetch(packages);
    return packages.map((about, i) => ({ about, file: files[i] ?? '' }));
  };
  try {
    return await get();
  } catch (error) {
    io.signal.throwIfAborted();
    if (!(await apt.refresh())) throw error;
    return await get();
  }
}

/** Every library that a file asks for must have come along: a program that does not start is found here, not in a cluster. */
async function checkLibraries(unpacked: ReadonlyMap<string, Unpacked>, names: readonly string[]): Promise<void> {
  const there = new Set(
    [...unpacked.keys()].filter((path) => path.startsWith('usr/lib')).map((path) => path.replace(/^.*\//, '')),
  );
  for (const [path, item] of unpacked) {
    if (!('file' in item)) continue;
    const library = (await librariesOf(item.file))?.find((name) => !there.has(name));
    if (library !== undefined) throw kubexmError('KX7055', { file: `/${path}`, library, packages: names.join(', ') });
  }
}

const CERTIFICATES = /^usr\/share\/ca-certificates\/.*\.crt$/;

/** What update-ca-certificates makes of certificates: the one file that programs read. */
async function withCertificates(unpacked: ReadonlyMap<string, Unpacked>): Promise<ReadonlyMap<string, Unpacked>> {
  const single = [...unpacked.entries()]
    .filter(([path]) => CERTIFICATES.test(path))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (single.length === 0) return unpacked;
  const texts: string[] = [];
  for (const [, item] of single) if ('file' in item) texts.push((await readFile(item.file, 'utf8')).trimEnd());
  const bundle = 'etc/ssl/certs/ca-certificates.crt';
  const kept = new Map([...unpacked].filter(([path]) => !path.startsWith('usr/share/ca-certificates')));
  kept.set(bundle, { path: bundle, data: `${texts.join('\n')}\n`, mode: 0o644 });
  // Where OpenSSL looks.
  if (!kept.has('usr/lib/ssl/cert.pem'))
    kept.set('usr/lib/ssl/cert.pem', { path: 'usr/lib/ssl/cert.pem', link: `/${bundle}` });
  return kept;
}
