import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ArtifactLock } from '../../model/artifact-lock.ts';
import type { ArtifactNeed } from '../../model/catalog/need.ts';
import type { PlanArtifacts } from '../../plan/layers.ts';
import { type Cache, itemsOf, type Job, jobsOf, openCache } from '../cache/index.ts';
import { noteSeen, placeFile } from './files.ts';
import { layoutPath } from './layout.ts';
import { addToLock, forgetLocked, readLock } from './lock-file.ts';
import { pruneArtifacts } from './prune.ts';
import { artifactReport, verifyArtifacts } from './report.ts';
import { supplyFor } from './supply-for.ts';

const ID = 'runc/1.4.3/amd64/runc';
const needs: readonly ArtifactNeed[] = [
  {
    component: 'runc',
    version: '1.4.3',
    group: 'runtime',
    optional: true,
    arches: ['amd64'],
    files: [
      {
        name: 'runc',
        kind: 'binary',
        file: 'runc.amd64',
        arch: 'amd64',
        url: 'https://example.com/runc.amd64',
        mirrors: [],
        programs: { runc: 'runc.amd64' },
        hosts: ['a'],
      },
    ],
    images: [],
    builds: [],
  } as unknown as ArtifactNeed,
];
const job = jobsOf(needs)[0] as Job;

let dir: string;
let workDir: string;
let cache: Cache;
let path: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kubexm-resource-'));
  workDir = dir;
  cache = await openCache(join(dir, 'cache'));
  path = layoutPath(workDir, job, itemsOf(job)[0]!);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function report(
  lock: ArtifactLock = readLock(workDir),
  sources: PlanArtifacts['sources'] = [{ type: 'upstream' }],
) {
  return await artifactReport({ needs, lock, sources, cacheDir: cache.dir }, workDir, () => undefined);
}

/** As the step does it. */
async function placed() {
  const { digest, size } = await cache.store.put('runc itself');
  const got = { sha256: digest.slice('sha256:'.length), size, source: 'upstream' };
  await placeFile(cache, got, path, true);
  await noteSeen(workDir, new Map([[path, got.sha256]]));
  await addToLock(workDir, { [ID]: got });
  return got;
}

test('a file that is gone is missing, though the cache has it or nobody has it any more', async () => {
  const { sha256 } = await placed();
  expect(await report()).toMatchObject([{ id: ID, state: 'ready', agreed: true }]);
  expect(await verifyArtifacts(await report(), () => undefined)).toMatchObject([{ found: 'good' }]);
  await rm(path);
  expect(await report()).toMatchObject([{ state: 'cached', agreed: true }]);
  expect(await verifyArtifacts(await report(), () => undefined)).toMatchObject([{ found: 'missing' }]);
  await cache.store.remove(`sha256:${sha256}`);
  expect(await report()).toMatchObject([{ state: 'needed', agreed: true }]);
  expect(await verifyArtifacts(await report(), () => undefined)).toMatchObject([{ found: 'missing' }]);
});

test('what only lies in the cache is none of the cluster’s yet', async () => {
  expect(await report()).toMatchObject([{ state: 'needed', agreed: false, source: 'upstream' }]);
  expect(await verifyArtifacts(await report(), () => undefined)).toEqual([]);
});

test('absent only for the sources that were asked', async () => {
  await addToLock(workDir, { [ID]: { absent: 'nobody has it', sources: 'upstream' } });
  expect(await report()).toMatchObject([{ state: 'absent' }]);
  const more = [{ type: 'upstream' }, { type: 'zone' }] as const;
  expect(await report(readLock(workDir), more)).toMatchObject([{ state: 'needed', source: 'upstream' }]);
  await forgetLocked(workDir, 'absent');
  expect(await report()).toMatchObject([{ state: 'needed' }]);
});

test('forgetting what was absent keeps what was agreed on; forgetting all keeps nothing', async () => {
  const got = await placed();
  await addToLock(workDir, { other: { absent: 'nobody has it', sources: 'upstream' } });
  await forgetLocked(workDir, 'absent');
  expect(readLock(workDir)).toEqual({ [ID]: got });
  await forgetLocked(workDir, 'all');
  expect(readLock(workDir)).toEqual({});
});

test('what a killed run left beside a file goes with the next one', async () => {
  await placed();
  await writeFile(`${path}.new`, 'half');
  await placed();
  expect(await readdir(dirname(path))).toEqual(['runc']);
  expect((await stat(path)).nlink).toBe(2);
});

test('what killed runs left in the cache is swept', async () => {
  await placed();
  await writeFile(join(cache.dir, 'index', 'x.json.new'), '{');
  await writeFile(join(cache.dir, 'ingest', 'x.new'), 'half');
  await pruneArtifacts(cache.dir, { dryRun: false, olderThanMs: -1000 });
  expect(await readdir(join(cache.dir, 'index'))).toEqual([]);
  expect(await readdir(join(cache.dir, 'ingest'))).toEqual([]);
  expect((await stat(path)).nlink).toBe(2);
});

test('a build that takes its time keeps its directory', async () => {
  const work = join(cache.workDir, 'go-x');
  await mkdir(work);
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  await utimes(work, ago(2), ago(2));
  await pruneArtifacts(cache.dir, { dryRun: false });
  expect(await readdir(cache.workDir)).toEqual(['go-x']);
  await utimes(work, ago(5), ago(5));
  await pruneArtifacts(cache.dir, { dryRun: false });
  expect(await readdir(cache.workDir)).toEqual([]);
});

test('each run has a supply of its own: what one run learnt, and its passwords, are not the next one’s', async () => {
  const want = { cacheDir: cache.dir, sources: [{ type: 'mirror', url: 'https://m', passwordField: 'p' }] } as const;
  const asked: string[] = [];
  const run = () => (field: string) => {
    asked.push(field);
    return 'secret';
  };
  const [one, two] = [run(), run()];
  expect(await supplyFor(want, { secret: one })).toBe(await supplyFor(want, { secret: one }));
  expect(await supplyFor(want, { secret: two })).not.toBe(await supplyFor(want, { secret: one }));
  expect(asked).toEqual(['p', 'p']);
});
