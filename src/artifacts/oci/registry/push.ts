import { kubexmError } from '../../../model/errors/index.ts';
import type { BlobStore } from '../content/blob-store.ts';
import { type Digest, isDigest } from '../content/digest.ts';
import type { Reference } from '../image/reference.ts';
import type { Descriptor } from '../image/types.ts';
import { contentsIn } from '../image/walk.ts';
import { final } from './failure.ts';
import { inParallel } from './parallel.ts';
import { counter, type OnProgress } from './progress.ts';
import { withRetries } from './retry.ts';
import type { Transport } from './transport.ts';
import { upload } from './upload.ts';

/** How an image is pushed. */
export interface PushOptions {
  /** A repository of the same registry whose blobs may be mounted instead of sent. */
  readonly mountFrom?: string;
  readonly signal?: AbortSignal;
  readonly progress?: OnProgress;
}

/** Brings an image from a store into a registry: blobs first, what names them last, the tag at the very end. */
export async function push(
  transport: Transport,
  store: BlobStore,
  root: Descriptor,
  reference: Reference,
  options: PushOptions = {},
): Promise<Digest> {
  const signal = options.signal ?? new AbortController().signal;
  const { repository } = reference;
  const { manifests, blobs } = await contentsIn(store, root, `${repository}:${reference.tag ?? root.digest}`);
  const count = counter(blobs, options.progress);
  const { mountFrom } = options;
  await inParallel(blobs, transport.parallel, signal, async (blob, both) => {
    if (!(await store.verify(blob.digest))) throw kubexmError('KX7120', { digest: blob.digest, store: store.dir });
    await upload(transport, store, {
      repository,
      blob,
      mountFrom,
      signal: both,
      progress: (done) => count(blob, done),
    });
  });
  for (const manifest of manifests) {
    const version = manifest.digest === root.digest ? (reference.tag ?? root.digest) : manifest.digest;
    await putManifest(transport, store, repository, manifest, version, signal);
  }
  return root.digest;
}

async function putManifest(
  transport: Transport,
  store: BlobStore,
  repository: string,
  { digest, mediaType }: Descriptor,
  version: string,
  signal: AbortSignal,
): Promise<void> {
  const bytes = await store.bytes(digest);
  const what = `manifest ${repository}${isDigest(version) ? '@' : ':'}${version}`;
  await withRetries(transport.patience, transport.registry, signal, async () => {
    const answer = await transport.send({
      method: 'PUT',
      url: transport.url(`/v2/${repository}/manifests/${version}`),
      repository,
      action: 'push',
      scopes: [`repository:${repository}:pull,push`],
      what,
      expect: [200, 201, 202],
      headers: { 'content-type': mediaType },
      payload: {
        length: bytes.length,
        async *read() {
          yield bytes;
        },
      },
      signal,
    });
    await answer.body.drop();
    const got = answer.headers['docker-content-digest'];
    if (typeof got === 'string' && got !== digest && got.startsWith(digest.slice(0, 7))) {
      throw final(kubexmError('KX7108', { what, registry: transport.registry, got, want: digest }));
    }
  });
}
