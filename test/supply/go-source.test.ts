import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Cache, openCache } from '../../src/artifacts/cache/cache.ts';
import { ensure } from '../../src/artifacts/cache/ensure.ts';
import type { FilesJob } from '../../src/artifacts/cache/types.ts';
import { goSource } from '../../src/artifacts/sources/go-source.ts';
import { kubexmError } from '../../src/model/errors/index.ts';
import { type Said, serve } from './go-fake.ts';
import { GOOD, only, RECIPE, sumdb } from './go-modules.ts';
import { fileNeed } from './source-world.ts';

const here = spawnSync('go', ['version']).status === 0;
const arch = process.arch === 'x64' ? 'amd64' : 'arm64';

/** One person who wants some programs of one build: the catalog leaves out of a build what a cluster does not need. */
function wanting(...programs: readonly (keyof typeof RECIPE.programs)[]): FilesJob {
  const files = programs.map((name) => fileNeed(`https://example.org/${name}`, { arch, programs: { [name]: name } }));
  const packages = programs.map((name) => [name, RECIPE.programs[name] ?? '']);
  return {
    ...{ kind: 'files', component: 'tool', version: '1.0.0', group: 'tool', optional: false, arch, files },
    builds: [{ ...RECIPE, programs: Object.fromEntries(packages) }],
  };
}

describe.runIf(here)('the source go (needs go)', { timeout: 300_000 }, () => {
  let root: string;
  let dir: string;
  let cache: Cache;
  let env: Record<string, string | undefined>;
  let said: string[];
  const servers: Server[] = [];

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'kubexm-go-source-'));
  });
  beforeEach(async () => {
    dir = await mkdtemp(join(root, 'machine-'));
    cache = await openCache(join(dir, 'cache'));
    said = [];
    env = { PATH: process.env['PATH'], HOME: dir, GOCACHE: join(root, 'gocache'), GOSUMDB: sumdb.key };
    await proxy();
  });
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });
  afterAll(async () => {
    // Go keeps modules read-only.
    execFileSync('chmod', ['-R', 'u+w', root]);
    await rm(root, { recursive: true, force: true });
  });

  async function proxy(answers: Readonly<Record<string, Said>> = GOOD): Promise<void> {
    const { url, server } = await serve(answers);
    servers.push(server);
    env['GOPROXY'] = url;
  }

  /** What a run does, in a process of its own as far as the source knows. */
  const get = (job: FilesJob, signal = new AbortController().signal, of = cache) => {
    const io = {
      signal,
      env,
      progress: () => undefined,
      say: (text: string) => void said.push(text),
      tell: () => undefined,
    };
    return ensure({ cache: of, sources: [goSource(of, env)], told: new Set() }, job, {}, io);
  };
  const built = () => said.filter((text) => text.startsWith('building')).length;

  test('clusters that want different programs of one build share what is built', async () => {
    const one = await get(wanting('two'));
    const before = built();
    expect(before).toBeGreaterThan(0);
    // What it took is remembered, for the next estimate.
    const times = JSON.parse(readFileSync(join(cache.dir, 'build-times.json'), 'utf8')) as { readonly builds: object };
    expect(times.builds).toEqual({
      [`tool ${arch}: two from nothing`]: {
        seconds: expect.any(Number),
        cores: availableParallelism(),
        cpuSeconds: 60,
      },
    });
    env['GOPROXY'] = 'http://127.0.0.1:1';
    const both = await get(wanting('program-one', 'two'));
    expect(both.get(`tool/1.0.0/${arch}/two`)).toEqual(one.get(`tool/1.0.0/${arch}/two`));
    expect(built()).toBeGreaterThan(before);
    const now = built();
    // All of it is there: nothing is built for a caller that wants a part.
    expect([...(await get(wanting('program-one'))).keys()]).toEqual([`tool/1.0.0/${arch}/program-one`]);
    expect(await get(wanting('program-one', 'two'))).toEqual(both);
    expect(built()).toBe(now);
  });

  test('modules that nobody vouches for are refused; where they are allowed, the result is no verified one', async () => {
    const verified = { ...env };
    env['GOSUMDB'] = 'off';
    await expect(get(wanting('two'))).rejects.toMatchObject({
      code: 'KX7016',
      detail: expect.stringContaining('GOSUMDB=off'),
    });
    expect(await goSource(cache, env).outlook?.(wanting('two'), { env, signal: new AbortController().signal })).toEqual(
      { why: expect.objectContaining({ code: 'KX7045' }) },
    );
    const lax = goSource(cache, env, true);
    const io = { signal: new AbortController().signal, env, progress: () => undefined };
    const quiet = { say: () => undefined, tell: () => undefined };
    const supply = { cache, sources: [lax], told: new Set<string>() };
    const got = await ensure(supply, wanting('two'), {}, { ...io, ...quiet });
    expect([...got.values()]).toMatchObject([{ vouched: 'nobody' }]);
    env = verified;
    const before = built();
    expect([...(await get(wanting('two'))).values()]).toMatchObject([{ vouched: 'go-sumdb' }]);
    expect(built()).toBeGreaterThan(before);
  });

  test('GONOSUMDB and GOPRIVATE do not switch verification off', async () => {
    // The checksum database does not know a module that the proxy has.
    await proxy({ ...GOOD, [`/sumdb/${sumdb.name}/lookup/example.org/tool@v1.0.0`]: 404 });
    env = { ...env, GONOSUMDB: 'example.org', GOPRIVATE: 'example.org', GONOPROXY: 'none' };
    await expect(get(wanting('two'))).rejects.toMatchObject({
      code: 'KX7016',
      detail: expect.stringContaining('cannot be verified'),
    });
  });

  test('two names for one package, or one name for another, are not taken for each other', async () => {
    const job = wanting('two');
    const other = { ...job, builds: [{ ...RECIPE, programs: { two: 'example.org/tool/cmd/one' } }] };
    const id = `tool/1.0.0/${arch}/two`;
    expect((await get(other)).get(id)?.sha256).not.toBe((await get(job)).get(id)?.sha256);
  });

  test('a run that is stopped while another waits for its build: that one builds', async () => {
    const stop = new AbortController();
    await proxy({ ...GOOD, '/example.org/lib/@v/v1.2.3.zip': 'SILENCE' });
    const first = get(wanting('two'), stop.signal);
    while (!said.some((text) => text.startsWith('downloading'))) await new Promise((done) => setTimeout(done, 20));
    const second = get(wanting('program-one', 'two'));
    while (!said.includes('waiting for another build')) await new Promise((done) => setTimeout(done, 50));
    await proxy();
    stop.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    expect([...(await second).keys()]).toHaveLength(2);
    expect(await readdir(cache.workDir)).toEqual([]);
  });

  test('a build that fails while another waits for it fails for both, each with its reason', async () => {
    const broken = { ...wanting('two'), builds: [only('broken', { programs: { two: 'example.org/broken' } })] };
    const results = await Promise.allSettled([get(broken), get(broken)]);
    for (const result of results)
      expect(result).toMatchObject({
        reason: { code: 'KX7016', detail: expect.stringContaining('undefined: nothing') },
      });
    expect(await readdir(cache.workDir)).toEqual([]);
    expect(await cache.records()).toEqual([]);
  });

  test('a disk that is full when the program is kept is reported as such; nothing is noted, nothing is left', async () => {
    const full = kubexmError('KX7122', { path: dir, reason: 'ENOSPC: no space left on device' });
    const store: Cache['store'] = Object.create(cache.store, {
      write: {
        value: async (source: AsyncIterable<Uint8Array>) => {
          for await (const _ of source) break;
          throw full;
        },
      },
    });
    await expect(get(wanting('two'), undefined, { ...cache, store })).rejects.toBe(full);
    expect(await readdir(cache.workDir)).toEqual([]);
    expect(await cache.records()).toEqual([]);
    expect([...(await get(wanting('two'))).keys()]).toHaveLength(1);
  });
});
