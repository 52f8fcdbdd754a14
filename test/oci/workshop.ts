import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import {
  type BlobStore,
  type BuiltImage,
  buildImage,
  buildIndex,
  buildLayer,
  type Descriptor,
  type LayerOptions,
  openBlobStore,
  openRegistry,
  type Registry,
  type RegistryOptions,
} from '../../src/artifacts/oci/index.ts';
import { KubexmError } from '../../src/model/errors/index.ts';
import { FakeRegistry } from './fake-registry.ts';

/** A secret that must not be found anywhere. */
export const PASSWORD = 'correct horse';

/** Bytes that do not pack well, the same ones for the same seed. */
export function noise(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

/** Images for both platforms under one index. */
export async function sampleImage(
  store: BlobStore,
  bytes: number,
  packing: LayerOptions = {},
): Promise<{ readonly index: Descriptor; readonly images: readonly BuiltImage[] }> {
  const images: BuiltImage[] = [];
  for (const architecture of ['amd64', 'arm64']) {
    const data = noise(bytes, architecture.length + images.length);
    const own = await buildLayer(store, [{ path: 'bin/tool', data, mode: 0o755 }], packing);
    const common = await buildLayer(store, [{ path: 'etc/conf', data: 'common\n' }], { compression: 'none' });
    images.push(await buildImage(store, { platform: { os: 'linux', architecture }, layers: [common, own] }));
  }
  return {
    index: await buildIndex(
      store,
      images.map(({ descriptor }) => descriptor),
    ),
    images,
  };
}

/** A registry that misbehaves, and two stores, for one test at a time. */
export class Workshop {
  readonly base = mkdtempSync(join(tmpdir(), 'kubexm-oci-'));
  fake = new FakeRegistry();
  /** Where images are made. */
  source: BlobStore = undefined as unknown as BlobStore;
  /** Where images are pulled to. */
  target: BlobStore = undefined as unknown as BlobStore;
  private opened: Registry[] = [];
  private readonly others: (() => unknown)[] = [];
  private readonly samples = new Map<number, Promise<{ readonly dir: string; readonly index: Descriptor }>>();

  constructor() {
    beforeEach(async () => {
      const fake = await new FakeRegistry().start();
      this.fake = fake;
      this.source = await this.store();
      this.target = await this.store();
      return () => fake.stop();
    });
    afterEach(() => {
      for (const registry of this.opened.splice(0)) registry.close();
    });
    afterAll(async () => {
      for (const close of this.others) await close();
      rmSync(this.base, { recursive: true, force: true });
    });
  }

  async store(): Promise<BlobStore> {
    return await openBlobStore(mkdtempSync(join(this.base, 'store-')));
  }

  /** Puts a sample image of so many bytes where images are made: built for the first test, copied for the others. */
  async sample(bytes: number): Promise<Descriptor> {
    const build = async () => {
      const store = await this.store();
      return { dir: store.dir, index: (await sampleImage(store, bytes)).index };
    };
    const made = this.samples.get(bytes) ?? build();
    this.samples.set(bytes, made);
    const { dir, index } = await made;
    cpSync(dir, this.source.dir, { recursive: true });
    return index;
  }

  /** A registry and a store beside them, until the end: for tests that run at the same time. */
  async another(): Promise<{
    readonly fake: FakeRegistry;
    readonly target: BlobStore;
    readonly open: (options?: Partial<RegistryOptions>) => Registry;
  }> {
    const fake = await new FakeRegistry().start();
    this.others.push(() => fake.stop());
    const open = (options: Partial<RegistryOptions> = {}): Registry => {
      const registry = client(fake, options);
      this.others.push(() => registry.close());
      return registry;
    };
    return { fake, target: await this.store(), open };
  }

  open(options: Partial<RegistryOptions> = {}): Registry {
    const registry = client(this.fake, options);
    this.opened.push(registry);
    return registry;
  }
}

/** A client that does not wait between tries. */
function client(fake: FakeRegistry, options: Partial<RegistryOptions>): Registry {
  return openRegistry({
    registry: fake.host,
    plainHttp: true,
    stallSeconds: 20,
    attempts: 3,
    delaySeconds: 0.01,
    ...options,
  });
}

/** The error of work that must fail, which must not tell the password. */
export async function failure(work: Promise<unknown>): Promise<KubexmError> {
  const error = await work.then(
    () => new Error('it should have failed'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(KubexmError);
  const { message, detail = '', params, cause } = error as KubexmError;
  const told = `${message}\n${detail}\n${JSON.stringify(params)}\n${String((cause as Error | undefined)?.stack)}`;
  for (const secret of [PASSWORD, Buffer.from(`me:${PASSWORD}`).toString('base64')]) expect(told).not.toContain(secret);
  return error as KubexmError;
}

/** What is on its way into a store. */
export function arriving(store: BlobStore): readonly string[] {
  return readdirSync(join(store.dir, 'ingest'));
}
