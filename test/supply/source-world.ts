import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import type { FilesJob, ImageJob, Supplied, SupplyIo } from '../../src/artifacts/cache/types.ts';
import { type TarEntry, tar } from '../../src/artifacts/oci/content/tar.ts';
import { type BlobStore, openBlobStore } from '../../src/artifacts/oci/index.ts';
import type { WebOptions } from '../../src/artifacts/sources/index.ts';
import type { FileNeed, ImageNeed } from '../../src/model/catalog/need.ts';
import { KubexmError } from '../../src/model/errors/index.ts';
import { FaultServer, serve } from '../support/fault-server.ts';

/** Little patience, but enough for a machine that is busy. */
export const quick: WebOptions = { answerSeconds: 5, stallSeconds: 5, attempts: 3, delaySeconds: 0.01 };
/** For those who stay silent on purpose. */
export const hasty: WebOptions = { ...quick, answerSeconds: 0.5, stallSeconds: 0.4 };

/** A digest in hex. */
export function hex(data: Uint8Array | string, algorithm = 'sha256'): string {
  return createHash(algorithm).update(data).digest('hex');
}

/** A server and a store for one test at a time. */
export class SourceWorld {
  readonly base = mkdtempSync(join(tmpdir(), 'kubexm-source-'));
  server = new FaultServer();
  store: BlobStore = undefined as unknown as BlobStore;
  said: string[] = [];
  progress: [number, number | undefined][] = [];

  constructor() {
    beforeEach(async () => {
      this.server = await new FaultServer().start();
      this.store = await this.newStore();
      this.said = [];
      this.progress = [];
    });
    afterEach(async () => await this.server.stop());
    afterAll(() => rmSync(this.base, { recursive: true, force: true }));
  }

  async newStore(): Promise<BlobStore> {
    return await openBlobStore(mkdtempSync(join(this.base, 'store-')));
  }

  io(more: Partial<SupplyIo> = {}): SupplyIo {
    return {
      signal: new AbortController().signal,
      env: {},
      progress: (done, total) => void this.progress.push([done, total]),
      say: (text) => void this.said.push(text),
      ...more,
    };
  }

  /** Puts a file and its checksum on the server. */
  publish(path: string, data: Uint8Array, more: Partial<FileNeed> = {}): FileNeed {
    const url = this.server.on(path, serve(data));
    this.server.on(`${path}.sha256`, serve(Buffer.from(`${hex(data)}\n`)));
    return fileNeed(url, { checksum: { url: `${url}.sha256`, mirrors: [], form: 'digest' }, ...more });
  }

  /** The requests for files themselves: no HEAD that asks whether somebody is there, no checksums. */
  get fetched(): readonly string[] {
    return this.server.requests.map(({ path }) => path).filter((path) => path !== '/' && !path.endsWith('.sha256'));
  }

  /** Every blob that has its name is right, and nothing is in the store that must not be. */
  async expectSound(store = this.store): Promise<readonly string[]> {
    const names = readdirSync(join(store.dir, 'blobs/sha256'));
    for (const name of names) expect(await store.verify(`sha256:${name}`), name).toBe(true);
    return names;
  }

  arriving(store = this.store): readonly string[] {
    return readdirSync(join(store.dir, 'ingest')).filter((name) => !name.endsWith('.done'));
  }
}

/** A file that a cluster needs: a program, unless something else is said. */
export function fileNeed(url: string, more: Partial<FileNeed> = {}): FileNeed {
  const file = new URL(url).pathname.split('/').at(-1) ?? '';
  return { name: file, kind: 'binary', file, arch: 'amd64', url, mirrors: [], programs: {}, hosts: ['a'], ...more };
}

/** The files of a component. */
export function filesJob(...files: readonly FileNeed[]): FilesJob {
  return {
    kind: 'files',
    component: 'tool',
    version: '1.2.3',
    group: 'kubernetes',
    optional: false,
    builds: [],
    arch: 'amd64',
    files,
  };
}

/** An image. */
export function imageJob(upstream: string, more: Partial<ImageNeed> = {}): ImageJob {
  const image: ImageNeed = {
    name: 'tool',
    upstream,
    mirrors: [],
    reference: upstream,
    arches: ['amd64'],
    hosts: ['a'],
    ...more,
  };
  return {
    kind: 'image',
    component: 'tool',
    version: '1.2.3',
    group: 'kubernetes',
    optional: false,
    builds: [],
    arch: 'amd64',
    image,
  };
}

/** Packs entries as projects do. */
export async function tarGz(entries: readonly TarEntry[]): Promise<Buffer> {
  return gzipSync(await tarOf(entries));
}

/** A tar as a whole. */
export async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar(entries)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A member of an archive. */
export function member(path: string, data: Uint8Array | string, mode = 0o755): TarEntry {
  const bytes = Buffer.from(data);
  return {
    path,
    mode,
    content: {
      kind: 'file',
      size: bytes.length,
      read: async function* () {
        yield bytes;
      },
    },
  };
}

/** The error of work that must fail. */
export async function failure(work: Promise<unknown>): Promise<KubexmError> {
  const error = await work.then(
    (value) => new Error(`it should have failed: ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(KubexmError);
  return error as KubexmError;
}

/** What the store has of an item. */
export async function contentOf(store: BlobStore, one: Supplied | undefined): Promise<Buffer> {
  return await store.bytes(`sha256:${one?.sha256 ?? ''}`);
}
