import { availableParallelism } from 'node:os';
import type { ArtifactLock, SourceSpec } from '../../model/artifact-lock.ts';
import type { KubexmError } from '../../model/errors/index.ts';
import type { PlannedBuilds } from '../../model/event.ts';
import {
  type BuildsProgress,
  goPlaces,
  itemsOf,
  type Job,
  type JobForecast,
  type Missing,
  type PlannedBuild,
  survey,
  whyNowhere,
} from '../cache/index.ts';
import { readLock } from './lock-file.ts';
import { artifactRows } from './report.ts';
import { type Load, type NoRoom, noRoom } from './room.ts';
import { supplyFor } from './supply-for.ts';

/** Jobs of a plan, and where their results go. */
export interface ForecastRequest {
  readonly jobs: readonly Job[];
  readonly workDir: string;
  readonly cacheDir: string;
  readonly sources: readonly SourceSpec[];
  readonly lock: ArtifactLock;
}

/** What getting the artifacts of a plan takes. */
export interface ArtifactForecast {
  /** Items that are here already, of all. */
  readonly here: number;
  readonly items: number;
  /** Why something that the cluster needs comes from no source. */
  readonly nowhere: KubexmError | undefined;
  /** Items that are fetched finished. */
  readonly fetched: number;
  readonly builds: readonly PlannedBuild[];
  /** What this machine lacks, once each. */
  readonly missing: readonly MissingHere[];
  /** File systems without room. */
  readonly full: readonly NoRoom[];
}

/** Something that this machine lacks, and everything that needs it. */
export interface MissingHere extends Omit<Missing, 'by'> {
  readonly by: readonly string[];
}

interface ForecastIo {
  readonly secret: (field: string) => string | undefined;
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Seconds of what is no build: looking at what is here, one file that is fetched. */
const SECONDS = { look: 2, fetched: 3 } as const;

/** About how long it takes. */
export function artifactSeconds({ fetched, builds }: Pick<ArtifactForecast, 'fetched' | 'builds'>): number {
  return SECONDS.look + fetched * SECONDS.fetched + (plannedBuilds({ builds })?.seconds ?? 0);
}

/** All builds in short. They share the cores: together they take as long as one after the other. Unset: nothing is built. */
export function plannedBuilds({ builds }: Pick<ArtifactForecast, 'builds'>): PlannedBuilds | undefined {
  if (builds.length === 0) return undefined;
  return {
    programs: builds.reduce((sum, { programs }) => sum + programs.length, 0),
    seconds: Math.round(builds.reduce((sum, { seconds }) => sum + seconds, 0)),
    cores: availableParallelism(),
  };
}

const MIB = 1024 ** 2;
/** A program or an image that is fetched: most are smaller. */
const FETCHED_MIB = 80;
/** What a build leaves lies in three places: as measured for Kubernetes. */
const SHARES = { build: 0.6, modules: 0.25, results: 0.15 } as const;

/** Asks which source answers for everything that is not here yet, and what that takes on this machine. Gets nothing. */
export async function forecastArtifacts(request: ForecastRequest, io: ForecastIo): Promise<ArtifactForecast> {
  const { jobs, workDir } = request;
  const rows = await artifactRows(jobs, request, workDir, io.secret);
  const open = new Set(rows.filter(({ state }) => state === 'needed' || state === 'changed').map(({ id }) => id));
  const absent = jobs.filter((job) => itemsOf(job).some(({ id }) => open.has(id)));
  const supply = await supplyFor(request, io);
  const { sources } = supply;
  const found = await survey({ sources }, absent, io);
  const builds = [...new Map(found.flatMap((one) => one.builds).map((build) => [build.name, build])).values()];
  supply.builds?.plan(builds);
  const finished = found.filter((one) => one.source !== undefined && one.builds.length === 0);
  const fetched = finished.reduce((sum, { job }) => sum + itemsOf(job).length, 0);
  return {
    here: rows.length - open.size,
    items: rows.length,
    nowhere: whyNowhere({ sources }, found),
    fetched,
    builds,
    missing: onceEach(found),
    full: await noRoom(loadsOf(request.cacheDir, fetched, builds, io.env)),
  };
}

/** Tells how far the builds of a run are, until the returned function is called. */
export async function watchBuilds(
  request: Pick<ForecastRequest, 'cacheDir' | 'sources'>,
  io: Pick<ForecastIo, 'secret'>,
  watcher: (progress: BuildsProgress) => void,
): Promise<() => void> {
  const { builds } = await supplyFor(request, io);
  return builds?.watch(watcher) ?? (() => undefined);
}

/** How many of these artifacts are on this machine, by what the cluster has agreed on now. No source is asked. */
export async function artifactsHere(
  request: ForecastRequest,
  { secret }: Pick<ForecastIo, 'secret'>,
): Promise<{ readonly here: number; readonly items: number }> {
  const { jobs, workDir } = request;
  const rows = await artifactRows(jobs, { ...request, lock: readLock(workDir) }, workDir, secret);
  const open = rows.filter(({ state }) => state === 'needed' || state === 'changed');
  return { here: rows.length - open.length, items: rows.length };
}

/** What an optional component lacks is no obstacle: the cluster does without it. */
function onceEach(found: readonly JobForecast[]): readonly MissingHere[] {
  const all = found.filter(({ job }) => !job.optional).flatMap(({ missing }) => missing);
  const groups = Map.groupBy(all, ({ need, arch }) => `${need} ${arch ?? ''}`);
  return [...groups.values()].flatMap((some) => {
    const [first] = some;
    return first === undefined ? [] : [{ ...first, by: [...new Set(some.map(({ by }) => by))] }];
  });
}

function loadsOf(
  cacheDir: string,
  fetched: number,
  builds: readonly PlannedBuild[],
  env: ForecastIo['env'],
): readonly Load[] {
  const built = builds.reduce((sum, { megabytes }) => sum + megabytes, 0) * MIB;
  const { build, modules } = goPlaces(env);
  const loads = [
    { path: cacheDir, bytes: fetched * FETCHED_MIB * MIB + built * SHARES.results },
    { path: build, bytes: built * SHARES.build },
    { path: modules, bytes: built * SHARES.modules },
  ];
  return loads.filter(({ bytes }) => bytes > 0);
}
