import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildNeed } from '../../model/catalog/need.ts';
import type { Arch } from '../../model/catalog/schema.ts';
import { kubexmError } from '../../model/errors/index.ts';
import { BuildLedger } from '../cache/build-ledger.ts';
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
import { goBuild, goBuildSource, goKey, goModuleFiles, missingForC, missingGo, unverifiable } from './go/index.ts';
import { makeImage, makeKey } from './image/index.ts';
import { ownSources, sourcesDigest } from './own-program.ts';
import { TimedBuilds } from './timed-builds.ts';

const NAME = 'go';

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
export function goSource(
  cache: Cache,
  env: SupplyIo['env'],
  unverified = false,
  ledger: BuildLedger = new BuildLedger(),
): Source {
  const builder = new Builder(cache, env, unverified, ledger);
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
  private readonly timed: TimedBuilds;
  private goMissing: Promise<readonly Missing[]> | undefined;

  constructor(cache: Cache, env: SupplyIo['env'], unverified: boolean, ledger: BuildLedger) {
    this.cache = cache;
    this.env = env;
    this.unverified = unverified;
    this.slots = new BuildSlots(cache);
    this.timed = new TimedBuilds(cache.dir, ledger);
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
    const builds = await this.unbuilt(job, io.env);
    const ownBuilds = (made?.own ?? []).map((name) => this.timed.own(name, job.arch));
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
      const [place, key] = [`${component}/${version}/${arch}`, await this.keyOf(build, arch)];
      const names = Object.keys(build.programs);
      const known = await this.known(names, place, (name) => `${key} ${build.programs[name]}`);
      const programs = names.filter((name) => !known.has(name));
      if (programs.length === 0) continue;
      found.push({ build, arch, planned: await this.timed.planned({ build, place, key, programs }, env) });
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
    const key = await this.keyOf(build, arch);
    const keyFor = (name: string) => `${key} ${build.programs[name]}`;
    const names = Object.keys(build.programs);
    const known = () => this.known(names, place, keyFor);
    const before = await known();
    if (before.size === names.length) return before;
    const open = { build, place, key, programs: names.filter((name) => !before.has(name)) };
    const { cpuSeconds } = await this.timed.planned(open, io.env);
    return await this.inTurn(key, cpuSeconds, io, async () => {
      const found = new Map(await known());
      const programs = names.filter((name) => !found.has(name));
      if (programs.length === 0) {
        this.timed.isMade(place, key);
        return found;
      }
      const planned = await this.timed.planned({ ...open, programs }, io.env);
      const made = await this.timed.make(planned, io, (counting) =>
        this.into((out) => goBuild({ build, arch, programs }, out, this.cache.dir, counting)),
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
    const planned = this.timed.own(program, arch);
    const made = await this.inTurn(planned.name, planned.cpuSeconds, io, () =>
      this.timed.make(planned, io, (counting) =>
        this.into(async (out) => ({
          [program]: await goBuildSource({ dir, program, arch, ldflags }, out, this.cache.dir, counting),
        })),
      ),
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
    work: (out: string) => Promise<Readonly<Record<string, string>>>,
  ): Promise<ReadonlyMap<string, Supplied>> {
    const out = await mkdtemp(join(this.cache.workDir, 'built-'));
    try {
      const kept = new Map<string, Supplied>();
      for (const [name, file] of Object.entries(await work(out))) {
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
