import { createHash, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { kubexmError } from '../../../model/errors/index.ts';
import { itemsOf } from '../../cache/items.ts';
import type { AskIo, FilesJob, Job, Source, Supplied, SupplyIo } from '../../cache/types.ts';
import type { BlobStore } from '../../oci/index.ts';
import { inParallel } from '../../oci/registry/parallel.ts';
import { addressOf, fetchFile } from './file.ts';
import { fetchImage } from './image.ts';
import { accessOf, type NetworkSource } from './network-source.ts';
import { whyNot } from './outlook.ts';
import { Presence } from './presence.ts';
import { Reach } from './reach.ts';
import { tally } from './tally.ts';
import { openWeb, type Web } from './web.ts';

/** Files at once. */
const PARALLEL = 3;

/** Makes a source of the network. It remembers which origins do not answer. */
export function networkSource(spec: NetworkSource): Source {
  const reach = new Reach(spec.options.answerSeconds ?? 3);
  const presence = new Presence();
  return {
    name: spec.name,
    vouches: spec.of,
    key: async (job) => keyOf(spec, job),
    get: (job, store, io) => withWeb(spec, reach, io, (web) => get(spec, web, job, store, io)),
    outlook: async (job, io) => {
      const why = await withWeb(spec, reach, io, (web) => whyNot(spec, web, presence, job));
      return why === undefined ? {} : { why };
    },
  };
}

async function withWeb<T>(
  { options }: NetworkSource,
  reach: Reach,
  { env, signal }: AskIo,
  work: (web: Web) => Promise<T>,
): Promise<T> {
  const ca = options.caFile === undefined ? undefined : await readCa(options.caFile);
  const web = openWeb(options, { reach, env, signal, ca });
  try {
    return await work(web);
  } finally {
    web.connections.close();
  }
}

async function get(
  spec: NetworkSource,
  web: Web,
  job: Job,
  store: BlobStore,
  io: SupplyIo,
): Promise<ReadonlyMap<string, Supplied>> {
  const items = itemsOf(job);
  if (job.kind === 'image') {
    const tar = await fetchImage(web, job, spec.images(job.image), accessOf(spec), store, io);
    return new Map(items.map(({ id }) => [id, tar]));
  }
  const byName = await fetchAll(spec, web, job, store, io);
  return new Map(
    items.flatMap(({ id, name }) => {
      const one = byName.get(name);
      return one === undefined ? [] : [[id, one]];
    }),
  );
}

async function fetchAll(
  spec: NetworkSource,
  web: Web,
  job: FilesJob,
  store: BlobStore,
  io: SupplyIo,
): Promise<ReadonlyMap<string, Supplied>> {
  const needs = job.files.map((need) => ({ need, places: spec.files(need) ?? { urls: [], checksums: [] } }));
  // All at once, so that a network that swallows everything costs the time of one.
  const origins = needs.flatMap(({ places }) => [...places.urls, ...places.checksums]);
  await Promise.all(origins.map(({ url }) => web.reach.whyNot(url, web.way, web.signal)));
  const counted = tally(needs.length, (done, total) => io.progress(done, total));
  const found = new Map<string, Supplied>();
  await inParallel(needs, PARALLEL, io.signal, async ({ need, places }, signal) => {
    const progress = counted(need.url);
    const at = { web: { ...web, signal }, store, progress, say: (text: string) => io.say(text) };
    for (const [name, one] of await fetchFile(at, need, places)) found.set(name, one);
  });
  return found;
}

/** Everything that the result depends on, and no password. */
function keyOf(spec: NetworkSource, job: Job): string | undefined {
  if (job.kind === 'image') {
    const references = spec.images(job.image);
    return references.length === 0 ? undefined : hashed([spec.name, ...references, job.image.upstream, job.arch]);
  }
  const places = job.files.map((need) => ({ need, found: spec.files(need) }));
  if (places.some(({ found }) => found === undefined || found.urls.length === 0)) return undefined;
  return hashed([
    spec.name,
    ...places.map(({ need, found }) =>
      JSON.stringify([
        found?.urls.map(addressOf),
        found?.checksums.map(addressOf),
        need.kind,
        need.programs,
        need.digest,
      ]),
    ),
  ]);
}

function hashed(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

async function readCa(file: string): Promise<string> {
  const unusable = (reason: string, cause: unknown) => kubexmError('KX7081', { file, reason }, { cause });
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw unusable(error.code ?? String(error), error);
  });
  try {
    // TLS passes over what is no certificate, and would report every server as untrusted.
    new X509Certificate(text);
  } catch (error) {
    throw unusable('it has no certificate in PEM', error);
  }
  return text;
}
