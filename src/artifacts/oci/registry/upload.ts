import { createReadStream } from 'node:fs';
import type { Answer, Payload } from '../../../http/exchange.ts';
import { kubexmError } from '../../../model/errors/index.ts';
import type { BlobStore } from '../content/blob-store.ts';
import type { Descriptor } from '../image/types.ts';
import { RegistryFailure } from './failure.ts';
import { withRetries } from './retry.ts';
import type { Call, Transport } from './transport.ts';

/** A blob on its way into a repository. */
export interface Upload {
  readonly repository: string;
  readonly blob: Descriptor;
  /** A repository of the same registry that may have the blob. */
  readonly mountFrom?: string | undefined;
  readonly signal: AbortSignal;
  readonly progress: (done: number) => void;
}

/** An upload that the registry knows of. */
interface Session {
  readonly url: URL;
  readonly offset: number;
  /** The smallest piece that the registry takes. */
  readonly atLeast: number;
}

/** Brings a blob into a repository, unless it is there or can be mounted. After a cut it goes on where the registry is. */
export async function upload(transport: Transport, store: BlobStore, job: Upload): Promise<void> {
  const { patience, registry } = transport;
  let session: Session | undefined;
  let farthest = 0;
  await withRetries(patience, registry, job.signal, async (gotOn) => {
    // Also before another try: the registry may have got everything, and only its answer was lost.
    if (session === undefined && (await exists(transport, job))) return;
    session = session === undefined ? await start(transport, job) : await status(transport, job, session);
    // Mounted.
    if (session === undefined) return;
    // A small blob goes at once, with the request that ends the upload.
    const inPieces = job.blob.size > pieceOf(transport, session);
    while (inPieces && session.offset < job.blob.size) {
      session = await sendPiece(transport, store, job, session);
      if (session.offset > farthest) gotOn();
      farthest = Math.max(farthest, session.offset);
      job.progress(session.offset);
    }
    try {
      await finish(transport, store, job, session);
    } catch (error) {
      // What a registry makes of half of a blob that came at once is not said anywhere: better a new upload.
      if (!inPieces) session = undefined;
      throw error;
    }
  });
  job.progress(job.blob.size);
}

async function exists(transport: Transport, job: Upload): Promise<boolean> {
  const { repository, blob } = job;
  const url = transport.url(`/v2/${repository}/blobs/${blob.digest}`);
  const answer = await transport.send({ ...base(job), method: 'HEAD', url, expect: [200, 404] });
  await answer.body.drop();
  return answer.status === 200;
}

async function start(transport: Transport, job: Upload): Promise<Session | undefined> {
  const { repository, blob, mountFrom } = job;
  const url = transport.url(`/v2/${repository}/blobs/uploads/`);
  if (mountFrom !== undefined) {
    url.searchParams.set('mount', blob.digest);
    url.searchParams.set('from', mountFrom);
  }
  // Not there means the repository: a blob is what is being made.
  const what = `repository ${repository} to push to`;
  const answer = await transport.send({ ...base(job), what, method: 'POST', url, expect: [201, 202] });
  await answer.body.drop();
  if (answer.status === 201) return undefined;
  const atLeast = Number(answer.headers['oci-chunk-min-length'] ?? 0);
  return { url: nextUrl(transport, answer, url), offset: 0, atLeast: Number.isFinite(atLeast) ? atLeast : 0 };
}

/** Where the registry is. One that has forgotten the upload gets a new one. */
async function status(transport: Transport, job: Upload, session: Session): Promise<Session | undefined> {
  const { url } = session;
  const answer = await transport.send({ ...base(job), method: 'GET', url, expect: [200, 202, 204, 404, 405, 416] });
  await answer.body.drop();
  if (![200, 202, 204].includes(answer.status)) {
    return (await exists(transport, job)) ? undefined : await start(transport, job);
  }
  const offset = offsetOf(answer) ?? 0;
  if (offset > job.blob.size) return await start(transport, job);
  return { ...session, url: answer.headers.location === undefined ? url : nextUrl(transport, answer, url), offset };
}

async function sendPiece(transport: Transport, store: BlobStore, job: Upload, session: Session): Promise<Session> {
  const { offset, url } = session;
  const length = Math.min(pieceOf(transport, session), job.blob.size - offset);
  const answer = await transport.send({
    ...base(job),
    method: 'PATCH',
    url,
    expect: [202, 204, 416],
    headers: { 'content-type': 'application/octet-stream', 'content-range': `${offset}-${offset + length - 1}` },
    payload: payload(store, job, offset, length),
    slow: true,
  });
  await answer.body.drop();
  if (answer.status === 416) throw outOfStep(transport, offset);
  const next = offsetOf(answer) ?? offset + length;
  // Less than was sent may be kept, never more.
  if (next <= offset || next > offset + length) throw outOfStep(transport, offset);
  return { ...session, url: nextUrl(transport, answer, url), offset: next };
}

/** Sends all that was not sent in pieces, and has the registry check the whole. */
async function finish(transport: Transport, store: BlobStore, job: Upload, session: Session): Promise<void> {
  const { digest, size } = job.blob;
  const url = new URL(session.url);
  url.searchParams.set('digest', digest);
  const { offset } = session;
  const answer = await transport.send({
    ...base(job),
    method: 'PUT',
    url,
    expect: [201, 204],
    headers: { 'content-type': 'application/octet-stream' },
    payload: payload(store, job, offset, size - offset),
    slow: true,
  });
  await answer.body.drop();
}

function payload(store: BlobStore, { blob, progress }: Upload, offset: number, length: number): Payload {
  const file = store.path(blob.digest);
  return {
    length,
    async *read() {
      if (length === 0) return;
      let at = offset;
      const stream = createReadStream(file, { start: offset, end: offset + length - 1, highWaterMark: 1 << 18 });
      for await (const chunk of stream) {
        yield chunk as Buffer;
        at += (chunk as Buffer).length;
        progress(at);
      }
      // The registry would wait for the rest for ever.
      if (at !== offset + length) throw kubexmError('KX7121', { digest: blob.digest, store: store.dir });
    },
  };
}

function base(job: Upload): Omit<Call, 'method' | 'url' | 'expect'> {
  const { repository, mountFrom, blob, signal } = job;
  const other = mountFrom === undefined ? [] : [`repository:${mountFrom}:pull`];
  const scopes = [`repository:${repository}:pull,push`, ...other];
  return { repository, action: 'push', scopes, what: `blob ${blob.digest} of ${repository}`, signal };
}

function pieceOf(transport: Transport, { atLeast }: Session): number {
  return Math.max(transport.chunkBytes, atLeast);
}

function nextUrl(transport: Transport, answer: Answer, from: URL): URL {
  const { location } = answer.headers;
  if (location === undefined) throw transport.broken('it does not say where an upload goes on');
  return transport.url(location, from);
}

/** `0-1023` means that 1024 bytes are there; `0-0` is what registries say before the first. */
function offsetOf(answer: Answer): number | undefined {
  const range = answer.headers['range'];
  const end = typeof range === 'string' ? /^(?:bytes=)?0-([0-9]+)$/.exec(range)?.[1] : undefined;
  if (end === undefined) return undefined;
  return end === '0' ? 0 : Number(end) + 1;
}

/** Both sides have to agree again where they are: the next try asks. */
function outOfStep(transport: Transport, offset: number): RegistryFailure {
  const error = kubexmError('KX7111', {
    registry: transport.registry,
    reason: `an upload cannot go on at byte ${offset}`,
  });
  return new RegistryFailure(error, { transient: true });
}
