import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Voucher } from '../../model/artifact-lock.ts';
import { kubexmError } from '../../model/errors/index.ts';
import { inLanguage } from '../../model/text/spoken.ts';
import { type Cache, digestOfHex, openCache } from './cache.ts';
import { type EnsureIo, ensure, type Pins, type Supply } from './ensure.ts';
import { itemsOf } from './items.ts';
import type { FilesJob, Job, Source } from './types.ts';

const job: FilesJob = {
  kind: 'files',
  component: 'etcd',
  version: '3.6.5',
  group: 'etcd',
  optional: false,
  arch: 'amd64',
  files: [
    {
      name: 'etcd',
      kind: 'archive',
      file: 'etcd.tar.gz',
      arch: 'amd64',
      url: 'https://example.com/etcd.tar.gz',
      mirrors: [],
      programs: { etcd: 'x/etcd', etcdctl: 'x/etcdctl' },
      hosts: ['a'],
    },
  ],
  builds: [],
};

/** A source that gives texts, and counts how often it was asked. */
class TextSource implements Source {
  readonly name: string;
  vouches: Voucher = 'upstream';
  asked = 0;
  text: string;
  offers = true;
  failure: Error | undefined;

  constructor(name: string, text = name) {
    this.name = name;
    this.text = text;
  }

  async key(): Promise<string | undefined> {
    return this.offers ? `key of ${this.text}` : undefined;
  }

  async get(wanted: Job, store: Cache['store']) {
    this.asked += 1;
    if (this.failure) throw this.failure;
    const found = new Map<string, { sha256: string; size: number }>();
    for (const { id, name } of itemsOf(wanted)) {
      const { digest, size } = await store.put(`${name} of ${this.text}`);
      found.set(id, { sha256: digest.slice(7), size });
    }
    return found;
  }
}

let dir: string;
let cache: Cache;
let told: string[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kubexm-ensure-'));
  cache = await openCache(dir);
  told = [];
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const io = (): EnsureIo => ({
  signal: new AbortController().signal,
  env: {},
  progress: () => undefined,
  say: () => undefined,
  tell: (text) => void told.push(inLanguage(text)),
});
const supplyOf = (...sources: Source[]): Supply => ({ cache, sources, told: new Set() });
const asPins = (got: ReadonlyMap<string, Pins[string]>): Pins => Object.fromEntries(got);
const textOf = async (sha256: string) => (await cache.store.bytes(digestOfHex(sha256))).toString();

describe('ensure', () => {
  test('gets from the first source that has it, and remembers', async () => {
    const [one, two] = [new TextSource('one'), new TextSource('two')];
    one.offers = false;
    const got = await ensure(supplyOf(one, two), job, {}, io());
    expect([...got.keys()]).toEqual(['etcd/3.6.5/amd64/etcd', 'etcd/3.6.5/amd64/etcdctl']);
    expect(await textOf(got.get('etcd/3.6.5/amd64/etcd')?.sha256 ?? '')).toBe('etcd of two');
    // Another cluster, another process: nothing is asked.
    expect(await ensure(supplyOf(one, two), job, {}, io())).toEqual(got);
    expect([one.asked, two.asked]).toEqual([0, 1]);
  });

  test('what another source gave before counts only if that source is allowed', async () => {
    const [one, two] = [new TextSource('one'), new TextSource('two')];
    await ensure(supplyOf(two), job, {}, io());
    const got = await ensure(supplyOf(one), job, {}, io());
    expect([...got.values()].map(({ source }) => source)).toEqual(['one', 'one']);
  });

  test('falls through with one line for each reason, however many jobs', async () => {
    const [one, two] = [new TextSource('one'), new TextSource('two')];
    one.failure = kubexmError('KX7017', { source: 'one', item: 'x' });
    const supply = supplyOf(one, two);
    await ensure(supply, job, {}, io());
    await ensure(supply, { ...job, version: '3.6.6' }, {}, io());
    expect(told).toEqual(['one: one gave everything but x']);
  });

  test('who vouched is known, also of what comes from the cache; only a mirror is reported, once', async () => {
    const [mirror, good] = [new TextSource('mirror'), new TextSource('good')];
    mirror.vouches = 'mirror';
    for (const [source, vouched] of [
      [mirror, 'mirror'],
      [good, 'upstream'],
    ] as const) {
      const supply = supplyOf(source);
      for (const version of ['3.6.5', '3.6.6', '3.6.5']) {
        const got = await ensure(supply, { ...job, version }, {}, io());
        expect([...got.values()].map((one) => one.vouched)).toEqual([vouched, vouched]);
      }
    }
    expect(told).toEqual([expect.stringMatching(/^mirror: nobody but this mirror vouches/)]);
    // Another run reports it too, unless the cluster has agreed on it before.
    const pins = asPins(await ensure(supplyOf(mirror), job, {}, io()));
    expect(told).toHaveLength(2);
    await ensure(supplyOf(mirror), job, pins, io());
    expect(told).toHaveLength(2);
  });

  test.each(['KX7071', 'KX7106'] as const)(
    'a certificate that is not trusted is no reason to ask another (%s)',
    async (code) => {
      const [one, two] = [new TextSource('one'), new TextSource('two')];
      const params = { host: 'm.example', registry: 'm.example', reason: 'self-signed certificate' };
      one.failure = kubexmError(code, params);
      await expect(ensure(supplyOf(one, two), job, {}, io())).rejects.toMatchObject({ code });
      expect(two.asked).toBe(0);
    },
  );

  test('says what every source said when none has it', async () => {
    const [one, two] = [new TextSource('one'), new TextSource('two')];
    for (const source of [one, two]) source.failure = kubexmError('KX7017', { source: source.name, item: 'x' });
    const failed = ensure(supplyOf(one, two), job, {}, io());
    await expect(failed).rejects.toMatchObject({ code: 'KX7016', params: { what: 'etcd 3.6.5', sources: 'one, two' } });
    await expect(failed).rejects.toMatchObject({
      detail: expect.stringMatching(/^one: .*\n {2}.*\ntwo: .*\n {2}/) as unknown,
    });
  });

  test('says when no source offers it', async () => {
    const one = new TextSource('one');
    one.offers = false;
    await expect(ensure(supplyOf(one), job, {}, io())).rejects.toMatchObject({ code: 'KX7015' });
  });

  test('repairs a flipped byte', async () => {
    const one = new TextSource('one');
    const got = await ensure(supplyOf(one), job, {}, io());
    const [first] = got.values();
    const path = cache.store.path(digestOfHex(first?.sha256 ?? ''));
    await rm(path);
    await writeFile(path, 'etcd of onE');
    expect(await ensure(supplyOf(one), job, asPins(got), io())).toEqual(got);
    expect(one.asked).toBe(2);
    expect(await textOf(first?.sha256 ?? '')).toBe('etcd of one');
  });

  test('what is pinned never changes unnoticed', async () => {
    const one = new TextSource('one');
    const pins = asPins(await ensure(supplyOf(one), job, {}, io()));
    for (const pin of Object.values(pins)) await cache.store.remove(digestOfHex(pin.sha256));
    one.text = 'something else';
    const two = new TextSource('two', 'one');
    await expect(ensure(supplyOf(one), job, pins, io())).rejects.toMatchObject({
      code: 'KX7018',
    });
    // Another source that has the very same file will do.
    const got = await ensure(supplyOf(one, two), job, pins, io());
    expect([...got.values()].map(({ sha256 }) => sha256)).toEqual(Object.values(pins).map(({ sha256 }) => sha256));
  });

  test('two at once do the work once', async () => {
    const one = new TextSource('one');
    const slow: Source = {
      name: 'one',
      vouches: 'upstream',
      key: () => one.key(),
      get: async (...args) => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        return one.get(args[0], args[1]);
      },
    };
    const both = await Promise.all([1, 2].map(() => ensure(supplyOf(slow), job, {}, io())));
    expect(both[0]).toEqual(both[1]);
    expect(one.asked).toBe(1);
  });

  test('a torn record of the index is none', async () => {
    const one = new TextSource('one');
    await ensure(supplyOf(one), job, {}, io());
    const [record] = await cache.records();
    if (record === undefined) throw new Error('nothing was noted');
    await cache.note({ ...record, sha256: 'torn' });
    await ensure(supplyOf(one), job, {}, io());
    expect(one.asked).toBe(2);
  });
});

test.each(['KX7035', 'KX7122'] as const)('%s is about this machine: no other source is asked', async (code) => {
  const [one, two] = [new TextSource('one'), new TextSource('two')];
  one.failure = kubexmError(code, { what: 'etcd', places: '/tmp', path: '/tmp', reason: 'full' });
  await expect(ensure(supplyOf(one, two), job, {}, io())).rejects.toBe(one.failure);
  expect(two.asked).toBe(0);
});

test('who waits for another run says so', async () => {
  const [slow, said] = [new TextSource('slow'), [] as string[]];
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const get = slow.get.bind(slow);
  slow.get = async (...args) => {
    await held;
    return await get(...args);
  };
  const saying = { ...io(), say: (text: string) => void said.push(text) };
  const [first, second] = [ensure(supplyOf(slow), job, {}, saying), ensure(supplyOf(slow), job, {}, saying)];
  await vi.waitFor(() => expect(said).toEqual(['waiting for another run that gets it']), { timeout: 20_000 });
  release();
  expect(await second).toEqual(await first);
  expect(slow.asked).toBe(1);
});

test('who has it already waits for nobody who wants another one under that name', async () => {
  const [one, stuck] = [new TextSource('one'), new TextSource('stuck')];
  const got = await ensure(supplyOf(one), job, {}, io());
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: asked, resolve: begin } = Promise.withResolvers<void>();
  const get = stuck.get.bind(stuck);
  stuck.get = async (...args) => {
    begin();
    await held;
    return await get(...args);
  };
  const other = ensure(supplyOf(stuck), job, {}, io());
  await asked;
  expect(await ensure(supplyOf(one), job, {}, io())).toEqual(got);
  expect(await ensure(supplyOf(stuck), job, asPins(got), io())).toEqual(got);
  release();
  await other;
});
