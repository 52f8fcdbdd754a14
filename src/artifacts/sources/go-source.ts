import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildNeed } from '../../model/catalog/need.ts';
import type { Arch } from '../../model/catalog/schema.ts';
import { kubexmError } from '../../model/errors/index.ts';
import { type Cache, digestOfHex } from '../cache/cache.ts';
import { itemsOf } from '../cache/items.ts';
import type {
  AskIo,
  FilesJob,
  ImageJob,
  Missing,
  Outlook,
  PlannedBuild,
  Source,
  Supplied,
  SupplyIo,
} from '../cache/types.ts';
import { BuildSlots } from './build-slots.ts';
import { missingForDebian } from './debian/index.ts';
import {
  goBuild,
  goBuildSource,
  goKey,
  goModuleFiles,
  isDownloaded,
  missingForC,
  missingGo,
  unverifiable,
} from './go/index.ts';
import { makeImage, makeKey } from './image/index.ts';
import { ownSources, sourcesDigest } from './own-program.ts';

const NAME = 'go';

/** Of a recipe that nobody has measured yet. */
const USUAL_COST = { cpuSeconds: 60, megabytes: 500 };
/** What is left to be written where a module was built before. */
const WARM = 0.2;
/** Programs that kubexm carries itself have no requirements. */
const OWN_COST = { cpuSeconds: 8, megabytes: 80 };

/** A recipe without anything in it: for programs that kubexm carries itself. */
const NO_MODULE: BuildNeed = {
  style: 'module',
  modules: [],
  programs: {},
  arches: [],
  cgo: false,
  needs: [],
  tags: [],
  ldflags: [],
};

/** Builds programs from source through the Go module proxy of the environment, and makes images of them. */
export function goSource(cache: Cache, env: SupplyIo['env'], unverified = false): Source {
  const builder = new Builder(cache, env, unverified);
  return {
    name: NAME,
    vouches: 'go-sumdb',
    key: (job) => (job.kind === 'files' ? builder.filesKey(job) : builder.imageKey(job)),
    get: async (job, _store, io) => {
      const allowed = { ...io, unverified };
      const got = await (job.kind === 'files' ? builder.files(job, allowed) : builder.image(job, allowed));
      if ((await builder.unverifiedMark()) === '') return got;
      return new Map([...got].map(([id, one]) => [id, { ...one, vouched: 'nobody' }]));
    },
    outlook: (job, io) => builder.outlook(job, io),
  };
}

class Builder {
  private readonly cache: Cache;
  private readonly env: SupplyIo['env'];
  private readonly keys = new Map<string, Promise<string>>();
  private readonly unverified: boolean;
  private readonly slots: BuildSlots;
  private goMissing: Promise<readonly Missing[]> | undefined;

  constructor(cache: Cache, env: SupplyIo['env'], unverified: boolean) {
    this.cache = cache;
    this.env = env;
    this.unverified = unverified;
    this.slots = new BuildSlots(cache);
  }

  async filesKey(job: FilesJob): Promise<string | undefined> {
    const { arch } = job;
    const items = itemsOf(job);
    const inModules = job.files.map(({ inModule }) => inModule);
    if (inModules.every((one) => one !== undefined))
      return `${JSON.stringify(inModules)}${await this.unverifiedMark()}`;
    const builds = items.map((item) => buildOf(job.builds, item.name, arch));
    if (arch === undefined || builds.includes(undefined)) return undefined;
    return await this.joinedKey(
      job.builds,
      arch,
      items.map(({ name }) => name),
    );
  }

  /** What keys end with where nobody vouches for modules: as that of a build without anything in it. Empty: they are verified. */
  async unverifiedMark(): Promise<string> {
    return /-unverified$/.exec(await this.keyOf(NO_MODULE, 'amd64'))?.[0] ?? '';
  }

  async imageKey({ image, builds, arch }: ImageJob): Promise<string | undefined> {
    const { made } = image;
    if (made === undefined || made.programs.some((name) => buildOf(builds, name, arch) === undefined)) return undefined;
    const own: Record<string, string> = {};
    for (const program of made.own) own[program] = await sourcesDigest(ownSources(program));
    const key = await this.joinedKey(made.own.length === 0 ? builds : [...builds, NO_MODULE], arch, made.programs);
    return `${key} ${makeKey(made, arch, own)}`;
  }

  async files(job: FilesJob, io: SupplyIo): Promise<ReadonlyMap<string, Supplied>> {
    const { arch } = job;
    if (job.files.every(({ inModule }) => inModule !== undefined)) return await this.moduleFiles(job, io);
    if (arch === undefined) throw kubexmError('KX7015', { what: job.component, sources: NAME });
    const built = await this.programs(job, arch, io);
    return new Map(
      itemsOf(job).flatMap(({ id, name }) => {
        const one = built.get(name);
        return one === undefined ? [] : [[id, one]];
      }),
    );
  }

  /** What is still to be built, and what this machine lacks for it. */
  async outlook(job: FilesJob | ImageJob, io: AskIo): Promise<Outlook> {
    const by = `${job.component} ${job.version}`;
    const why = await unverifiable(io, this.unverified);
    if (why !== undefined) return { why };
    const made = job.kind === 'image' ? job.image.made : undefined;
    const [builds, ownBuilds] = [await this.unbuilt(job, io.env), (made?.own ?? []).map((name) => ownBuild(name, job))];
    const usesGo = job.kind === 'files' || builds.length + ownBuilds.length > 0;
    const lacks = [
      ...(usesGo ? await this.missingGo(by, io) : []),
      ...(made === undefined || made.debian.length === 0 ? [] : await missingForDebian(by, io)),
    ];
    for (const { build, arch } of builds) lacks.push(...(await missingForC(build, arch, by, io)));
    return { missing: lacks, builds: [...builds.map(({ planned }) => planned), ...ownBuilds] };
  }

  /** Builds of a job whose programs are not all in the cache. */
  private async unbuilt({ builds, component, version, arch }: FilesJob | ImageJob, env: AskIo['env']) {
    const found: { readonly build: BuildNeed; readonly arch: Arch; readonly planned: PlannedBuild }[] = [];
    for (const build of arch === undefined ? [] : builds.filter((one) => one.arches.includes(arch))) {
      if (arch === undefined) continue;
      const [place, base] = [`${component}/${version}/${arch}`, await this.keyOf(build, arch)];
      const names = Object.keys(build.programs);
      const known = await this.known(names, place, (name) => `${base} ${build.programs[name]}`);
      const programs = names.filter((name) => !known.has(name));
      if (programs.length === 0) continue;
      const { cpuSeconds, megabytes } = build.cost ?? USUAL_COST;
      const [first] = build.modules;
      const left = first !== undefined && (await isDownloaded(first, env)) ? WARM : 1;
      const planned = { name: `${place} ${base}`, programs, cpuSeconds, megabytes: Math.ceil(megabytes * left) };
      found.push({ build, arch, planned });
    }
    return found;
  }

  /** The same for all jobs of a run. */
  private async missingGo(by: string, io: AskIo): Promise<readonly Missing[]> {
    this.goMissing ??= missingGo(this.cache.dir, by, io);
    return (await this.goMissing).map((one) => ({ ...one, by }));
  }

  /** Files that lie in Go modules as they are. */
  private async moduleFiles(job: FilesJob, io: SupplyIo): Promise<ReadonlyMap<string, Supplied>> {
    const found = new Map<string, Supplied>();
    for (const [at, { id }] of itemsOf(job).entries()) {
      const { inModule } = job.files[at] ?? {};
      if (inModule === undefined) continue;
      const text = await goModuleFiles(inModule.module, inModule.files, this.cache.dir, io);
      const { digest, size } = await this.cache.store.put(text);
      found.set(id, { sha256: digest.slice('sha256:'.length), size });
    }
    return found;
  }

  async image(job: ImageJob, io: SupplyIo): Promise<ReadonlyMap<string, Supplied>> {
    const { image, arch } = job;
    const { made } = image;
    const [item] = itemsOf(job);
    if (made === undefined || item === undefined) throw kubexmError('KX7015', { what: image.upstream, sources: NAME });
    const built = await this.programs(job, arch, io);
    const all = new Map(built);
    for (const program of made.own) all.set(program, await this.own(program, job.version, arch, io));
    const programs = Object.fromEntries(
      [...all].map(([name, { sha256 }]) => [name, this.cache.store.path(digestOfHex(sha256))]),
    );
    io.say(`making ${image.upstream}`);
    const request = { made, reference: image.reference, arch, programs };
    return new Map([[item.id, await makeImage(request, this.cache.store, this.cache.dir, io)]]);
  }

  /** The programs of all builds of a job, by name. */
  private async programs(job: FilesJob | ImageJob, arch: Arch, io: SupplyIo): Promise<ReadonlyMap<string, Supplied>> {
    const found = new Map<string, Supplied>();
    for (const build of job.builds.filter((one) => one.arches.includes(arch))) {
      const place = `${job.component}/${job.version}/${arch}`;
      for (const [name, one] of await this.built(build, arch, place, io)) found.set(name, one);
    }
    return found;
  }

  /** Builds all programs of a recipe that are not here yet. */
  private async built(
    build: BuildNeed,
    arch: Arch,
    place: string,
    io: SupplyIo,
  ): Promise<ReadonlyMap<string, Supplied>> {
    const base = await this.keyOf(build, arch);
    const keyFor = (name: string) => `${base} ${build.programs[name]}`;
    const names = Object.keys(build.programs);
    const known = () => this.known(names, place, keyFor);
    const before = await known();
    if (before.size === names.length) return before;
    const work = build.cost?.cpuSeconds ?? USUAL_COST.cpuSeconds;
    return await this.inTurn(base, work, io, async () => {
      const found = new Map(await known());
      const missing = names.filter((name) => !found.has(name));
      if (missing.length === 0) return found;
      const made = await this.into(io, (out, counting) =>
        goBuild({ build, arch, programs: missing }, out, this.cache.dir, counting),
      );
      for (const [name, one] of made) {
        await this.cache.note({ id: `${place}/${name}`, source: NAME, key: keyFor(name), ...one });
        found.set(name, one);
      }
      return found;
    });
  }

  /** A program that kubexm carries the sources of. */
  private async own(program: string, version: string, arch: Arch, io: SupplyIo): Promise<Supplied> {
    const dir = ownSources(program);
    const ldflags = [`-X main.version=${version}`];
    const made = await this.inTurn(`own ${program} ${arch}`, OWN_COST.cpuSeconds, io, () =>
      this.into(io, async (out, counting) => ({
        [program]: await goBuildSource({ dir, program, arch, ldflags }, out, this.cache.dir, counting),
      })),
    );
    const one = made.get(program);
    if (one === undefined) throw kubexmError('KX7017', { source: NAME, item: program });
    return one;
  }

  /** The same recipe is built once, across callers and processes; others wait for their turn. */
  private async inTurn<T>(recipe: string, work: number, io: SupplyIo, build: () => Promise<T>): Promise<T> {
    const waiting = 'waiting for another build';
    return await this.cache.alone(`recipe ${recipe}`, waiting, io, () => this.slots.run(work, io, build));
  }

  private async known(
    names: readonly string[],
    place: string,
    keyFor: (name: string) => string,
  ): Promise<ReadonlyMap<string, Supplied>> {
    const found = new Map<string, Supplied>();
    for (const name of names) {
      const record = await this.cache.find(`${place}/${name}`, NAME, keyFor(name));
      if (record === undefined || !(await this.cache.store.verify(digestOfHex(record.sha256)))) continue;
      found.set(name, { sha256: record.sha256, size: record.size });
    }
    return found;
  }

  /** Runs a build in a directory of its own, and keeps what came out of it. */
  private async into(
    io: SupplyIo,
    work: (out: string, counting: SupplyIo) => Promise<Readonly<Record<string, string>>>,
  ): Promise<ReadonlyMap<string, Supplied>> {
    const out = await mkdtemp(join(this.cache.workDir, 'built-'));
    try {
      // What go counts are packages.
      const counting = { ...io, progress: (done: number, total?: number) => io.progress(done, total, 'parts') };
      const kept = new Map<string, Supplied>();
      for (const [name, file] of Object.entries(await work(out, counting))) {
        const { digest, size } = await this.cache.store.write(createReadStream(file, { highWaterMark: 1 << 20 }));
        kept.set(name, { sha256: digest.slice('sha256:'.length), size });
      }
      return kept;
    } finally {
      await rm(out, { recursive: true, force: true });
    }
  }

  private async joinedKey(builds: readonly BuildNeed[], arch: Arch, programs: readonly string[]): Promise<string> {
    const keys = await Promise.all(builds.map((build) => this.keyOf(build, arch)));
    const packages = programs.map((name) => buildOf(builds, name, arch)?.programs[name] ?? '');
    return [...new Set(keys), ...packages].join('+');
  }

  /** What the programs of a recipe depend on, whichever of them are wanted. */
  private keyOf(build: BuildNeed, arch: Arch): Promise<string> {
    const name = JSON.stringify([arch, { ...build, programs: {}, arches: [] }]);
    const known = this.keys.get(name);
    if (known !== undefined) return known;
    const { signal } = new AbortController();
    const io = { env: this.env, signal, unverified: this.unverified };
    const key = goKey({ build, arch, programs: [] }, io);
    this.keys.set(name, key);
    return key;
  }
}

function buildOf(builds: readonly BuildNeed[], program: string, arch: Arch | undefined): BuildNeed | undefined {
  return builds.find(
    (build) => Object.hasOwn(build.programs, program) && arch !== undefined && build.arches.includes(arch),
  );
}

function ownBuild(program: string, { arch }: Pick<FilesJob | ImageJob, 'arch'>): PlannedBuild {
  return { name: `own ${program} ${arch}`, programs: [program], ...OWN_COST };
}
