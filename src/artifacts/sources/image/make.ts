import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Arch, MadeImage } from '../../../model/catalog/schema.ts';
import { kubexmError } from '../../../model/errors/index.ts';
import { canonical } from '../../../model/json.ts';
import type { Supplied, SupplyIo } from '../../cache/types.ts';
import { type BlobStore, buildImage, buildLayer, type Layer, openBlobStore, type TreeItem } from '../../oci/index.ts';
import { type DebianTree, debianTree, merged, mergedLinks } from '../debian/index.ts';
import { mustBeStatic } from '../go/elf.ts';
import { baseFiles } from './base-files.ts';
import { imageTarInto } from './tar.ts';

/** An image to make. */
export interface MakeRequest {
  readonly made: MadeImage;
  readonly reference: string;
  readonly arch: Arch;
  /** Programs by name, and where they lie on this machine: those of the component, and kubexm's own. */
  readonly programs: Readonly<Record<string, string>>;
}

/** An image's tar, and the packages of Debian that are in it. */
export interface Made extends Supplied {
  /** `iptables=1.8.9-2`, by name. */
  readonly packages: readonly string[];
}

/** Counts changes of how images are made. */
const RECIPE = 1;
const LABEL = 'io.kubexm.debian';
const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What an image depends on, as far as is known without the network. */
export function makeKey(made: MadeImage, arch: Arch, programDigests: Readonly<Record<string, string>>): string {
  const text = canonical({ recipe: RECIPE, made: given(made), arch, programs: programDigests });
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Makes an image and keeps its tar in the store. Equal programs and packages give an equal tar on every machine: layers are
 * plain, and no time, owner or order of this one is in them.
 */
export async function makeImage(request: MakeRequest, store: BlobStore, cacheDir: string, io: SupplyIo): Promise<Made> {
  const { made, reference, arch } = request;
  const programs = await programItems(request);
  const work = join(cacheDir, 'work', randomUUID());
  await mkdir(work, { recursive: true });
  try {
    const layers = await openBlobStore(join(work, 'layers'));
    const debian = made.debian.length === 0 ? undefined : await debianTree(made.debian, arch, work, cacheDir, io);
    io.say(`making ${reference} for ${arch}`);
    const own = [...baseFiles(made.users), ...programs, ...extras(made)];
    const { descriptor } = await buildImage(layers, {
      platform: { os: 'linux', architecture: arch },
      // The packages by themselves: the next version of the programs has the same ones.
      layers: [
        ...(debian === undefined ? [] : [await layer(layers, withLinks(debian.items, own), io)]),
        await layer(layers, own, io),
      ],
      entrypoint: made.entrypoint,
      ...(made.cmd.length > 0 && { cmd: made.cmd }),
      env: [PATH, ...made.env],
      ...(made.user !== undefined && { user: made.user }),
      ...(made.workingDir !== undefined && { workingDir: made.workingDir }),
      ...(made.ports.length > 0 && { exposedPorts: made.ports }),
      ...(made.stopSignal !== undefined && { stopSignal: made.stopSignal }),
      ...labels(debian),
    });
    const tar = await imageTarInto(layers, store, reference, descriptor, arch, io);
    return { ...tar, packages: debian?.packages ?? [] };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function layer(store: BlobStore, items: readonly TreeItem[], io: SupplyIo): Promise<Layer> {
  io.signal.throwIfAborted();
  return await buildLayer(store, items, { compression: 'none' });
}

async function programItems({ made, reference, arch, programs }: MakeRequest): Promise<readonly TreeItem[]> {
  const items: TreeItem[] = [];
  for (const name of [...made.own, ...made.programs]) {
    const file = programs[name];
    const isThere = file !== undefined && (await stat(file).catch(() => undefined))?.isFile() === true;
    if (!isThere) throw kubexmError('KX7050', { image: reference, program: name });
    await mustBeStatic(file, name, arch);
    items.push({ path: placed(made, `${made.at}/${name}`), file, mode: 0o755 });
  }
  return items;
}

function extras(made: MadeImage): readonly TreeItem[] {
  return [
    ...made.directories.map((path) => ({ path: placed(made, path), directory: true as const })),
    ...Object.entries(made.links).map(([path, link]) => ({ path: placed(made, path), link })),
    ...Object.entries(made.files).map(([path, data]) => ({
      path: placed(made, path),
      data,
      mode: data.startsWith('#!') ? 0o755 : 0o644,
    })),
  ];
}

function withLinks(items: readonly TreeItem[], own: readonly TreeItem[]): readonly TreeItem[] {
  return [...items, ...mergedLinks([...items, ...own].map(({ path }) => path))];
}

/** Over packages of Debian, /bin is a link: what lies in it is in /usr/bin. */
function placed(made: MadeImage, path: string): string {
  return made.debian.length === 0 ? path : merged(path);
}

function labels(debian: DebianTree | undefined): { readonly labels?: Readonly<Record<string, string>> } {
  return debian === undefined ? {} : { labels: { [LABEL]: debian.packages.join(' ') } };
}

/** Without what is not set: canonical JSON has no word for that. */
function given(made: MadeImage) {
  const { user, workingDir, stopSignal, ...rest } = made;
  return { ...rest, user: user ?? '', workingDir: workingDir ?? '', stopSignal: stopSignal ?? '' };
}
