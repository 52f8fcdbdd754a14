import { WrongLength } from '../../../http/failure.ts';
import { receive } from '../../../http/transfer.ts';
import { kubexmError } from '../../../model/errors/index.ts';
import type { BlobStore } from '../content/blob-store.ts';
import { type Digest, digestOf, finished, hasherFor, isDigest } from '../content/digest.ts';
import type { Part } from '../content/part.ts';
import { MANIFEST_MAX, parseManifest } from '../image/parse.ts';
import type { Reference } from '../image/reference.ts';
import { type Descriptor, MEDIA } from '../image/types.ts';
import { type Contents, contentsOf, type PlatformChoice } from '../image/walk.ts';
import { final, RegistryFailure } from './failure.ts';
import { inParallel } from './parallel.ts';
import { counter, type OnProgress } from './progress.ts';
import { withRetries } from './retry.ts';
import type { Call, Transport } from './transport.ts';

/** How an image is pulled. */
export interface PullOptions {
  /** Which images of an index are wanted. Default: all. */
  readonly platforms?: PlatformChoice;
  readonly signal?: AbortSignal;
  readonly progress?: OnProgress;
}

/** An image that is in the store. */
export interface Pulled {
  /** What the reference names: a manifest or an index. */
  readonly root: Descriptor;
  readonly contents: Contents;
}

type Where = Pick<Reference, 'repository'>;

const ACCEPT = [MEDIA.index, MEDIA.manifest, MEDIA.dockerIndex, MEDIA.dockerManifest].join(', ');
/** A try that brought so much was worth it: the next ones are not counted from before. */
const GOT_ON = 1024 * 1024;

/** Brings an image into a store: what is there already, and right, is not fetched. */
export async function pull(
  transport: Transport,
  store: BlobStore,
  reference: Reference,
  options: PullOptions = {},
): Promise<Pulled> {
  const signal = options.signal ?? new AbortController().signal;
  const name = shown(reference);
  const root = await fetchManifest(transport, store, reference, reference.digest ?? reference.tag ?? 'latest', signal);
  const read = async (descriptor: Descriptor) => {
    if (!(await store.verify(descriptor.digest))) {
      await fetchManifest(transport, store, reference, descriptor.digest, signal);
    }
    return await store.bytes(descriptor.digest);
  };
  const contents = await contentsOf(root, read, name, options.platforms);
  const count = counter(contents.blobs, options.progress);
  await inParallel(contents.blobs, transport.parallel, signal, async (blob, both) => {
    if (!(await store.verify(blob.digest))) await fetchBlob(transport, store, reference, blob, both, count);
    count(blob, blob.size);
  });
  return { root, contents };
}

/** What a reference names, or undefined where the registry has no such thing. */
export async function resolve(
  transport: Transport,
  reference: Reference,
  signal: AbortSignal,
): Promise<Digest | undefined> {
  const version = reference.digest ?? reference.tag ?? 'latest';
  const call = manifestCall(transport, reference, version, signal);
  const answer = await withRetries(transport.patience, transport.registry, signal, () =>
    transport.send({ ...call, method: 'HEAD', expect: [200, 404] }),
  );
  await answer.body.drop();
  if (answer.status === 404) return undefined;
  const digest = answer.headers['docker-content-digest'];
  if (typeof digest === 'string' && isDigest(digest)) return digest;
  // Not every registry says it in the header.
  return await withRetries(transport.patience, transport.registry, signal, async () => {
    const full = await transport.send(call);
    return digestOf(await full.body.all(MANIFEST_MAX));
  });
}

async function fetchManifest(
  transport: Transport,
  store: BlobStore,
  where: Where,
  version: string,
  signal: AbortSignal,
): Promise<Descriptor> {
  const call = manifestCall(transport, where, version, signal);
  const bytes = await withRetries(transport.patience, transport.registry, signal, async () => {
    const answer = await transport.send(call);
    const promised = answer.headers['docker-content-digest'];
    const found = await answer.body.all(MANIFEST_MAX);
    const want = isDigest(version)
      ? version
      : typeof promised === 'string' && isDigest(promised)
        ? promised
        : undefined;
    if (want !== undefined) expectDigest(transport, call.what, finished(hasherFor(want).update(found), want), want);
    return found;
  });
  const { mediaType } = parseManifest(bytes, call.what);
  const digest = isDigest(version) ? version : digestOf(bytes);
  await store.ingest(digest, signal, async (part) => {
    await part.reset();
    await part.append(bytes);
  });
  return { mediaType, digest, size: bytes.length };
}

async function fetchBlob(
  transport: Transport,
  store: BlobStore,
  where: Where,
  blob: Descriptor,
  signal: AbortSignal,
  count: (blob: Descriptor, done: number) => void,
): Promise<void> {
  await store.ingest(blob.digest, signal, async (part) => {
    if (part.size > blob.size) await part.reset();
    let farthest = part.size;
    await withRetries(transport.patience, transport.registry, signal, async (gotOn) => {
      try {
        await fetchRest(transport, where, blob, part, signal, count);
      } finally {
        if (part.size - farthest >= GOT_ON) gotOn();
        farthest = Math.max(farthest, part.size);
      }
    });
  });
}

/** Fetches what is missing of a blob. What came stays in its part, unless it is wrong. */
async function fetchRest(
  transport: Transport,
  { repository }: Where,
  blob: Descriptor,
  part: Part,
  signal: AbortSignal,
  count: (blob: Descriptor, done: number) => void,
): Promise<void> {
  const what = `blob ${blob.digest} of ${repository}`;
  const resumed = part.size > 0;
  if (part.size < blob.size) {
    const answer = await transport.send({
      ...reading(repository, signal),
      url: transport.url(`/v2/${repository}/blobs/${blob.digest}`),
      what,
      expect: [200, 206, 416],
      headers: resumed ? { range: `bytes=${part.size}-` } : {},
    });
    await receive(answer, part, { bytes: blob.size, checked: true }, (done) => count(blob, done)).catch(
      (error: unknown) => {
        throw error instanceof WrongLength ? wrongSize(transport, what, error) : error;
      },
    );
  }
  const got = part.digest();
  if (got === blob.digest) return;
  await part.reset();
  // What had come earlier may have been wrong: once more from the start.
  if (resumed) throw again(transport, 'what had come earlier does not fit');
  expectDigest(transport, what, got, blob.digest);
}

function wrongSize(transport: Transport, what: string, { got, want }: WrongLength): RegistryFailure {
  return final(kubexmError('KX7108', { what, registry: transport.registry, got, want: `${want} bytes` }));
}

function expectDigest(transport: Transport, what: string, got: Digest, want: Digest): void {
  if (got !== want) throw final(kubexmError('KX7108', { what, registry: transport.registry, got, want }));
}

function again(transport: Transport, reason: string): RegistryFailure {
  const { registry } = transport;
  return new RegistryFailure(kubexmError('KX7102', { registry, reason }), { transient: true });
}

function manifestCall(transport: Transport, { repository }: Where, version: string, signal: AbortSignal): Call {
  return {
    ...reading(repository, signal),
    url: transport.url(`/v2/${repository}/manifests/${version}`),
    what: `manifest ${repository}${isDigest(version) ? '@' : ':'}${version}`,
    expect: [200],
    headers: { accept: ACCEPT },
  };
}

function reading(repository: string, signal: AbortSignal) {
  return { method: 'GET', repository, action: 'pull', scopes: [`repository:${repository}:pull`], signal } as const;
}

function shown({ repository, tag, digest }: Reference): string {
  return `${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}
