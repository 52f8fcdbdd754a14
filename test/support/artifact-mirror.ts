import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readCatalog, resolveArtifacts } from '../../src/artifacts/catalog/index.ts';
import type { FileNeed } from '../../src/model/catalog/need.ts';
import { openCluster } from '../../src/state/open-config.ts';
import { noise } from '../oci/workshop.ts';
import { member, tarGz } from '../supply/source-world.ts';
import { type Behaviour, FaultServer, serve } from './fault-server.ts';

const PIECE = 16_384;
/** Read once: it is big, and nobody changes it. */
const catalog = readCatalog();

/** A private mirror with all files that a configuration needs and that have a checksum; it has no images. */
export interface ArtifactMirror {
  readonly server: FaultServer;
  /** Requests for files themselves: no checksums, nobody who asks whether somebody is there. */
  readonly fetched: () => readonly string[];
  /** Bytes of files that were sent. */
  readonly sent: () => number;
  /** So long between two pieces of a file. */
  pauseMs: number;
}

/** Starts one. Its files are a few hundred kilobytes, and sent slowly. */
export async function artifactMirror(configFile: string): Promise<ArtifactMirror> {
  const { cluster } = await openCluster(configFile);
  const needs = resolveArtifacts(cluster, await catalog, '').flatMap(({ files }) => files);
  const server = await new FaultServer().start();
  const paths = new Set<string>();
  let sent = 0;
  const mirror: ArtifactMirror = {
    server,
    fetched: () => server.requests.flatMap(({ method, path }) => (method === 'GET' && paths.has(path) ? [path] : [])),
    sent: () => sent,
    pauseMs: 1,
  };
  const sums = new Map<string, string>();
  for (const need of needs) {
    const { checksum, url } = need;
    if (checksum === undefined) continue;
    const data = await contentOf(need);
    paths.add(pathOf(url));
    server.on(
      pathOf(url),
      slowly(data, mirror, (bytes) => (sent += bytes)),
    );
    const line = checksum.form === 'digest' ? `${sha256(data)}\n` : `${sha256(data)}  ${need.file}\n`;
    sums.set(pathOf(checksum.url), `${sums.get(pathOf(checksum.url)) ?? ''}${line}`);
  }
  for (const [path, text] of sums) server.on(path, serve(Buffer.from(text)));
  return mirror;
}

/** Where a mirror has a file of this address. */
function pathOf(address: string): string {
  const { host, pathname } = new URL(address);
  return `/${host}${pathname}`;
}

async function contentOf({ url, kind, programs }: FileNeed): Promise<Buffer> {
  const seed = Number.parseInt(sha256(url).slice(0, 6), 16);
  if (kind !== 'archive') return noise(150_000, seed);
  return await tarGz(Object.values(programs).map((path, i) => member(path, noise(30_000, seed + i))));
}

function slowly(data: Buffer, mirror: ArtifactMirror, count: (bytes: number) => void): Behaviour {
  return (request, response) => {
    const from = Number(/^bytes=([0-9]+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': data.length - from,
      ...(from > 0 ? { 'content-range': `bytes ${from}-${data.length - 1}/${data.length}` } : {}),
    });
    void (async () => {
      for (let at = from; at < data.length && !response.destroyed; at += PIECE) {
        const piece = data.subarray(at, at + PIECE);
        response.write(piece);
        count(piece.length);
        await delay(mirror.pauseMs);
      }
      response.end();
    })();
  };
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}
