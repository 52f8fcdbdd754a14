import type { ArtifactLock, SourceSpec } from '../../model/artifact-lock.ts';
import { errorText, errorTitle, KubexmError } from '../../model/errors/index.ts';
import { lines, sh } from '../../model/script.ts';
import { dedicated, defineStep, needed, type StepIo, satisfied } from '../../plan/step.ts';
import { ensure, type Got, itemsOf, type Job, type Pins } from '../cache/index.ts';
import { noteSeen, parseSeen, placeFile, STAT, seenFileOf } from './files.ts';
import { guarded } from './guard.ts';
import { layoutPath } from './layout.ts';
import { addToLock, lockFileOf, parseLock, readLock } from './lock-file.ts';
import { sourcesText } from './sources.ts';
import { supplyFor } from './supply-for.ts';

/** A job whose items shall lie in the cluster's directory. */
export interface ArtifactWant {
  readonly job: Job;
  readonly workDir: string;
  readonly cacheDir: string;
  readonly sources: readonly SourceSpec[];
  /** What the cluster had agreed on when this was planned: part of the plan, so that no other file comes unnoticed. */
  readonly lock: ArtifactLock;
}

/** A file of this machine, by its digest: what `upload` takes. */
export type Artifact = { readonly path: string; readonly sha256: string };

/** Items by name; null where no source had an optional one. */
export type Artifacts = Readonly<Record<string, Artifact | null>>;

/** The kind of the step that gets artifacts. */
export const artifactKind = 'artifact';

const artifact = defineStep<ArtifactWant>()({
  kind: artifactKind,
  description:
    'Files or an image of one component, on the machine kubexm runs on: from the cache or the first source that has them, checked by digest.',
  title: ({ job }) => titleOf(job),
  probe: ({ job, workDir }) => {
    const paths = itemsOf(job).map((item) => layoutPath(workDir, job, item));
    return lines(
      sh`stat -c ${`%F\t%n\t${STAT}`} -- ${paths} 2>/dev/null`,
      sh`printf '\\0'; cat -- ${lockFileOf(workDir)} 2>/dev/null`,
      sh`printf '\\0'; cat -- ${seenFileOf(workDir)} 2>/dev/null; :`,
    );
  },
  judge: (output, want) => {
    const [stats = '', lockText = '', seen = ''] = Buffer.from(output.bytes).toString('utf8').split('\0');
    const lock = lockText === '' ? {} : parseLock(lockText, lockFileOf(want.workDir));
    const found = look(want, lock, statsOf(stats), seen);
    const missing = [...found].filter(([, one]) => one === undefined);
    if (missing.length === 0) return satisfied<Artifacts>(Object.fromEntries(found) as Artifacts);
    const to = want.sources.map(({ type }) => type).join(', ');
    return needed(
      {},
      itemsOf(want.job)
        .filter((item) => found.get(item.name) === undefined)
        .map(({ id }) => ({ what: id, to: `from ${to}` })),
    );
  },
  apply: get,
  // What was got is nobody's change: it stays in the cache, for the next try.
  caches: true,
  revert: async () => undefined,
  timeoutSeconds: 3 * 3600,
  // Only an order, the longest build first: how long it takes is known once the sources were asked, and a run's estimate is from that.
  estimateSeconds: ({ job }) => (job.kind === 'image' ? 5 : 20 + workOf(job) / 100),
  example: {
    job: {
      kind: 'files',
      component: 'runc',
      version: '1.4.3',
      group: 'runtime',
      optional: false,
      arch: 'amd64',
      files: [],
      builds: [],
    },
    workDir: '/tmp/kubexm',
    cacheDir: '/tmp/kubexm-cache',
    sources: [{ type: 'upstream' }],
    lock: {},
  },
});

/** Gets what a cluster needs of one component into its directory, from the cache or the sources. */
export const getArtifact = dedicated(
  'get',
  artifact,
  'Get the files or an image of one component onto the machine kubexm runs on.',
  (want: ArtifactWant) => artifact(want),
);

function workOf({ builds }: Job): number {
  return builds.reduce((sum, { cost }) => sum + (cost?.cpuSeconds ?? 0), 0);
}

function titleOf(job: Job): string {
  if (job.kind === 'image') return `image ${job.image.upstream} ${job.arch}`;
  return [job.component, job.version, ...(job.arch === undefined ? [] : [job.arch])].join(' ');
}

/** Each item by name: the file, null where it is known to be absent, undefined where it must be got. */
function look(
  { job, workDir, sources }: ArtifactWant,
  lock: ArtifactLock,
  stats: ReadonlyMap<string, string>,
  seenText: string,
): ReadonlyMap<string, Artifact | null | undefined> {
  const seen = parseSeen(seenText);
  return new Map(
    itemsOf(job).map((item) => {
      const entry = lock[item.id];
      if (entry === undefined) return [item.name, undefined];
      if ('absent' in entry) return [item.name, entry.sources === sourcesText(sources) ? null : undefined];
      const path = layoutPath(workDir, job, item);
      const noted = seen.get(path);
      const same = noted?.sha256 === entry.sha256 && noted.stat === stats.get(path);
      return [item.name, same ? { path, sha256: entry.sha256 } : undefined];
    }),
  );
}

function statsOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\n').flatMap((line) => {
      const [type, path, stat] = line.split('\t');
      return type === 'regular file' && path !== undefined && stat !== undefined ? [[path, stat]] : [];
    }),
  );
}

async function get(_host: unknown, want: ArtifactWant, io: StepIo): Promise<Artifacts> {
  const { job, workDir, sources } = want;
  const supply = await supplyFor(want, io);
  const pins = pinsOf(readLock(workDir));
  const items = itemsOf(job);
  try {
    const got = await ensure(supply, job, pins, {
      signal: io.signal,
      env: process.env,
      progress: (done, total, unit) => io.progress(done, total, unit),
      say: (text) => io.line(text),
      tell: (text) => io.say(text),
    });
    const placed = new Map<string, Artifact>();
    await guarded(workDir, io.signal, async () => {
      for (const item of items) {
        const one = got.get(item.id);
        if (one === undefined) continue;
        const path = layoutPath(workDir, job, item);
        await placeFile(supply.cache, one, path, item.kind === 'program');
        placed.set(item.name, { path, sha256: one.sha256 });
      }
      await noteSeen(workDir, new Map([...placed.values()].map(({ path, sha256 }) => [path, sha256])));
      await addToLock(workDir, Object.fromEntries(got));
    });
    return Object.fromEntries(placed);
  } catch (error) {
    if (!job.optional || !isAbsence(error)) throw error;
    const reason = errorTitle(error.code, error.params, 'en');
    const absent = { absent: reason, sources: sourcesText(sources) };
    const entries = Object.fromEntries(items.map(({ id }) => [id, absent]));
    await guarded(workDir, io.signal, () => addToLock(workDir, entries));
    io.say(errorText('KX7023', { what: titleOf(job), reason }));
    return Object.fromEntries(items.map(({ name }) => [name, null]));
  }
}

function isAbsence(error: unknown): error is KubexmError {
  return error instanceof KubexmError && (error.code === 'KX7015' || error.code === 'KX7016');
}

/** What the cluster has agreed on. An item that was absent may come from anywhere. */
function pinsOf(lock: ArtifactLock): Pins {
  const pins = Object.entries(lock).flatMap(([id, entry]) => ('absent' in entry ? [] : [[id, entry] as [string, Got]]));
  return Object.fromEntries(pins);
}
