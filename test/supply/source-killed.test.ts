import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { bundleOptions } from '../../scripts/bundle-options.mjs';
import { upstream } from '../../src/artifacts/sources/index.ts';
import { noise } from '../oci/workshop.ts';
import { randoms, seed, some } from '../rig/thorough.ts';
import type { Behaviour } from '../support/fault-server.ts';
import type { Told } from './source-child.ts';
import { contentOf, fileNeed, filesJob, hex, member, quick, SourceWorld, tarGz } from './source-world.ts';

const at = new SourceWorld();
const CHILD = join(at.base, 'child.mjs');
const node = ['--disable-warning=ExperimentalWarning', CHILD];
const env = { ...process.env, NODE_COMPILE_CACHE: join(at.base, 'compiled') };

// Bundled once: many are started.
beforeAll(async () => {
  const entry = fileURLToPath(new URL('source-child.ts', import.meta.url));
  await build({ entryPoints: [entry], outfile: CHILD, ...bundleOptions });
});

function start(
  told: Told,
  wrap: readonly string[] = [],
): { readonly child: ChildProcess; readonly ended: Promise<{ readonly code: number | null; readonly out: string }> } {
  const [command = '', ...args] = [...wrap, process.execPath, ...node, JSON.stringify(told)];
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  return { child, ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, out }))) };
}

/** A slow line, so that there is something to kill. */
function slowly(data: Buffer, count: (bytes: number) => void): Behaviour {
  return (request, response) => {
    const from = Number(/^bytes=([0-9]+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, {
      etag: '"v1"',
      'content-length': data.length - from,
      ...(from > 0 ? { 'content-range': `bytes ${from}-${data.length - 1}/${data.length}` } : {}),
    });
    void (async () => {
      for (let i = from; i < data.length && !response.destroyed; i += 20_000) {
        response.write(data.subarray(i, i + 20_000));
        count(20_000);
        await delay(3);
      }
      response.end();
    })();
  };
}

test('killed at random moments: never a bad file, and the next one goes on', { timeout: 180_000 }, async () => {
  const [program, manifest] = [noise(1_000_000, 1), noise(600_000, 2)];
  const inside = noise(700_000, 3);
  const archive = await tarGz([member('bin/inside', inside)]);
  const job = filesJob(
    at.publish('/program', program),
    at.publish('/tool.tgz', archive, { kind: 'archive', programs: { inside: 'bin/inside' } }),
    fileNeed(`${at.server.url}/manifest`, { kind: 'manifest' }),
  );
  let sent = 0;
  const count = (bytes: number) => {
    sent += bytes;
  };
  for (const [path, data] of [
    ['/program', program],
    ['/tool.tgz', archive],
    ['/manifest', manifest],
  ] as const)
    at.server.on(path, slowly(data, count));
  const known = [program, manifest, inside, archive].map((data) => hex(data));
  const told: Told = { job, store: at.store.dir };
  for (const moment of some(randoms(20), 5)) {
    sent = 0;
    const { child, ended } = start(told);
    const gone = ended.then(() => true);
    while (sent < moment * 700_000 && !(await Promise.race([gone, delay(2)])));
    // Sometimes right away, sometimes while a file gets its name.
    await delay(((moment * 997) % 1) * 80);
    child.kill('SIGKILL');
    await ended;
    for (const name of await at.expectSound()) expect(known, `seed ${seed}`).toContain(name);
  }
  const got = await upstream({ ...quick, stallSeconds: 5 }).get(job, at.store, at.io());
  expect(hex(await contentOf(at.store, got.get('tool/1.2.3/amd64/program')))).toBe(hex(program));
  expect(hex(await contentOf(at.store, got.get('tool/1.2.3/amd64/inside')))).toBe(hex(inside));
  expect(hex(await contentOf(at.store, got.get('tool/1.2.3/amd64/manifest')))).toBe(hex(manifest));
  expect(
    at.server.requests.some(({ range }) => range !== undefined),
    `parts that were used again, seed ${seed}`,
  ).toBe(true);
});

test('two processes at once: one transfer of each file', { timeout: 60_000 }, async () => {
  const program = noise(600_000, 1);
  const archive = await tarGz([member('bin/inside', noise(500_000, 3))]);
  const manifest = noise(300_000, 2);
  const job = filesJob(
    at.publish('/program', program),
    at.publish('/tool.tgz', archive, { kind: 'archive', programs: { inside: 'bin/inside' } }),
    fileNeed(`${at.server.url}/manifest`, { kind: 'manifest' }),
  );
  // Nobody is done before both have begun.
  const begun = Promise.withResolvers<void>();
  const held = (data: Buffer): Behaviour => {
    const slow = slowly(data, () => undefined);
    return (request, response, n) => void begun.promise.then(() => slow(request, response, n));
  };
  for (const [path, data] of [
    ['/program', program],
    ['/tool.tgz', archive],
    ['/manifest', manifest],
  ] as const)
    at.server.on(path, held(data));
  const both = [start({ job, store: at.store.dir }), start({ job, store: at.store.dir })];
  while (at.server.count('/') < 2) await delay(10);
  await delay(300);
  begun.resolve();
  const [one, two] = await Promise.all(both.map(({ ended }) => ended));
  expect(one?.out).toContain(hex(program));
  expect(sorted(two?.out)).toEqual(sorted(one?.out));
  expect([...at.fetched].sort()).toEqual(['/manifest', '/program', '/tool.tgz']);
  await at.expectSound();
});

function sorted(out: string | undefined): unknown {
  const [result] = JSON.parse(out ?? '') as { readonly got: readonly (readonly [string, unknown])[] }[];
  return [...(result?.got ?? [])].sort(([a], [b]) => a.localeCompare(b));
}

test('a full disk is reported, and the next try goes on', { timeout: 60_000 }, async (context) => {
  if (spawnSync('unshare', ['--mount', 'true']).status !== 0) return context.skip('needs a mount namespace');
  const [program, manifest] = [noise(3_000_000, 1), noise(3_000_000, 2)];
  const mount = join(at.base, 'small');
  mkdirSync(mount, { recursive: true });
  // The file system is the child's alone, and gone with it.
  const wrap = [
    'unshare',
    '--mount',
    '--propagation',
    'private',
    'sh',
    '-c',
    'mount -t tmpfs -o size=1m none "$0" || exit 77; exec "$@"',
    mount,
  ];
  const checked = filesJob(at.publish('/program', program));
  const unchecked = filesJob(
    fileNeed(
      at.server.on(
        '/manifest',
        slowly(manifest, () => undefined),
      ),
      { kind: 'manifest' },
    ),
  );
  for (const [job, data, path] of [
    [checked, program, '/program'],
    [unchecked, manifest, '/manifest'],
  ] as const) {
    const { code, out } = await start({ job, store: join(mount, 'store'), grow: { mount, size: '20m' } }, wrap).ended;
    if (code === 77) return context.skip('needs to mount');
    expect(code).toBe(0);
    const [first, second] = JSON.parse(out) as [{ code: string; message: string }, unknown];
    expect(first.code).toBe('KX7122');
    expect(first.message).toContain('ENOSPC: no space left on device');
    expect(JSON.stringify(second)).toContain(hex(data));
    const { range } = at.server.requests.findLast((one) => one.path === path) ?? {};
    expect(range).toMatch(/^bytes=[1-9][0-9]+-$/);
  }
});
