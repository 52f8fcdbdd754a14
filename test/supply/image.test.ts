import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readCatalog } from '../../src/artifacts/catalog/read.ts';
import { buildImage, buildIndex, buildLayer, openBlobStore } from '../../src/artifacts/oci/index.ts';
import { imageTar, makeImage, makeKey } from '../../src/artifacts/sources/image/index.ts';
import type { Arch, MadeImage } from '../../src/model/catalog/schema.ts';
import { fakeProgram, listTar, madeOf, supplyIo, unpackImage } from './image-world.ts';

const MADE = madeOf({
  own: ['helper'],
  programs: ['one', 'two'],
  at: '/opt/bin',
  links: { '/usr/bin/one': '/opt/bin/one' },
  files: { '/etc/sample.conf': 'a = 1\n', '/start.sh': '#!/bin/sh\nexec one\n' },
  directories: ['/var/lib/sample'],
  users: { sample: 99 },
  entrypoint: ['/opt/bin/one'],
  cmd: ['--serve'],
  env: ['MODE=quiet'],
  user: '99:99',
  workingDir: '/var/lib/sample',
  ports: ['53/udp', '80/tcp'],
  stopSignal: 'SIGQUIT',
});
const REFERENCE = 'registry.example.com/sample:v1';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-image-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function programsIn(place: string, names: readonly string[], arch: Arch = 'amd64'): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      const file = join(place, `${name}-${arch}`);
      writeFileSync(file, fakeProgram(arch, name), { mode: 0o600 });
      return [name, file];
    }),
  );
}

async function make(
  place: string,
  made: MadeImage = MADE,
  arch: Arch = 'amd64',
  names = [...made.own, ...made.programs],
) {
  const cache = mkdtempSync(join(dir, place));
  const store = await openBlobStore(cache);
  const result = await makeImage(
    { made, reference: REFERENCE, arch, programs: programsIn(cache, names, arch) },
    store,
    cache,
    supplyIo(),
  );
  return { ...result, file: store.path(`sha256:${result.sha256}`), cache };
}

describe('an image of programs', () => {
  test('is the same wherever and in whatever order it is made', async () => {
    const first = await make('a-');
    const second = await make('another-place-', { ...MADE, programs: ['two', 'one'], ports: ['80/tcp', '53/udp'] });
    expect(second.sha256).toBe(first.sha256);
    expect(second.size).toBe(first.size);
    expect(statSync(first.file).size).toBe(first.size);
  });

  test('has what its description says, and nothing of this machine', async () => {
    const { file } = await make('a-');
    expect(listTar(file)).toEqual(expect.arrayContaining(['oci-layout', 'index.json', 'manifest.json']));
    const { root, config } = unpackImage(file, join(dir, 'unpacked'));
    expect(readFileSync(join(root, 'opt/bin/two'))).toEqual(fakeProgram('amd64', 'two'));
    expect(statSync(join(root, 'opt/bin/helper')).mode & 0o777).toBe(0o755);
    expect(statSync(join(root, 'start.sh')).mode & 0o777).toBe(0o755);
    expect(statSync(join(root, 'etc/sample.conf')).mode & 0o777).toBe(0o644);
    expect(statSync(join(root, 'tmp')).mode & 0o7777).toBe(0o1777);
    expect(statSync(join(root, 'var/lib/sample')).isDirectory()).toBe(true);
    expect(readFileSync(join(root, 'etc/passwd'), 'utf8')).toMatch(
      /^root:x:0:0:.*\nsample:x:99:99:.*\nnonroot:x:65532:/,
    );
    expect(readFileSync(join(root, 'etc/nsswitch.conf'), 'utf8')).toContain('hosts: files dns');
    expect(config).toMatchObject({
      architecture: 'amd64',
      os: 'linux',
      created: '1970-01-01T00:00:00Z',
      config: {
        Entrypoint: ['/opt/bin/one'],
        Cmd: ['--serve'],
        Env: [expect.stringMatching(/^PATH=/), 'MODE=quiet'],
        User: '99:99',
        WorkingDir: '/var/lib/sample',
        ExposedPorts: { '53/udp': {}, '80/tcp': {} },
        StopSignal: 'SIGQUIT',
      },
    });
    expect(readFileSync(file).includes(dir)).toBe(false);
  });

  test('for another processor is another one, and says so', async () => {
    const [amd64, arm64] = [await make('a-'), await make('b-', MADE, 'arm64')];
    expect(arm64.sha256).not.toBe(amd64.sha256);
    expect(unpackImage(arm64.file, join(dir, 'unpacked')).config).toMatchObject({ architecture: 'arm64' });
  });

  test('leaves nothing behind but its tar', async () => {
    const { cache, sha256 } = await make('a-');
    expect(readdirSync(join(cache, 'work'))).toEqual([]);
    expect(readdirSync(join(cache, 'blobs/sha256'))).toEqual([sha256]);
    expect(readdirSync(join(cache, 'ingest'))).toEqual([]);
  });

  test('needs all of its programs, for its processor', async () => {
    await expect(make('a-', MADE, 'amd64', ['helper', 'one'])).rejects.toMatchObject({
      code: 'KX7050',
      params: { image: REFERENCE, program: 'two' },
    });
    const cache = mkdtempSync(join(dir, 'b-'));
    const programs = programsIn(cache, ['helper', 'one', 'two'], 'arm64');
    const request = { made: MADE, reference: REFERENCE, arch: 'amd64' as const, programs };
    const store = await openBlobStore(cache);
    await expect(makeImage(request, store, cache, supplyIo())).rejects.toMatchObject({ code: 'KX7038' });
    rmSync(programs['two']!);
    await expect(makeImage(request, store, cache, supplyIo())).rejects.toMatchObject({
      code: expect.stringMatching(/KX70/),
    });
    expect(readdirSync(join(cache, 'blobs/sha256'))).toEqual([]);
  });

  test('is given up when somebody says so', async () => {
    const cache = mkdtempSync(join(dir, 'a-'));
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    const request = {
      made: MADE,
      reference: REFERENCE,
      arch: 'amd64' as const,
      programs: programsIn(cache, ['helper', 'one', 'two']),
    };
    await expect(makeImage(request, await openBlobStore(cache), cache, supplyIo({}, stop.signal))).rejects.toThrow(
      'enough',
    );
    expect(readdirSync(join(cache, 'work'))).toEqual([]);
    expect(readdirSync(join(cache, 'blobs/sha256'))).toEqual([]);
  });
});

describe('the key of an image', () => {
  const digests = { one: 'aa', two: 'bb' };
  const key = makeKey(MADE, 'amd64', digests);

  test('is the same for the same', () => {
    expect(makeKey(madeOf(structuredClone(MADE) as never), 'amd64', { two: 'bb', one: 'aa' })).toBe(key);
  });

  test.each([
    ['another processor', () => makeKey(MADE, 'arm64', digests)],
    ['another program', () => makeKey(MADE, 'amd64', { ...digests, two: 'cc' })],
    ['another package', () => makeKey({ ...MADE, debian: ['iptables'] }, 'amd64', digests)],
    ['another user', () => makeKey({ ...MADE, user: '0' }, 'amd64', digests)],
    ['another file', () => makeKey({ ...MADE, files: {} }, 'amd64', digests)],
  ])('%s', (_, other) => {
    expect(other()).not.toBe(key);
  });
});

test('an image for several platforms becomes a tar for one of them', async () => {
  const store = await openBlobStore(dir);
  const images = [];
  for (const architecture of ['amd64', 'arm64']) {
    const layer = await buildLayer(store, [{ path: 'arch', data: architecture }], { compression: 'none' });
    images.push((await buildImage(store, { platform: { os: 'linux', architecture }, layers: [layer] })).descriptor);
  }
  const index = await buildIndex(store, images);
  const { sha256, size } = await imageTar(store, 'pause:3.10', index, 'arm64', supplyIo());
  const file = store.path(`sha256:${sha256}`);
  expect(statSync(file).size).toBe(size);
  const { root } = unpackImage(file, join(dir, 'unpacked'));
  expect(readFileSync(join(root, 'arch'), 'utf8')).toBe('arm64');
  // The name as runtimes keep it.
  expect(readFileSync(join(dir, 'unpacked/layout/manifest.json'), 'utf8')).toContain('docker.io/library/pause:3.10');
  expect(existsSync(join(dir, 'ingest')) && readdirSync(join(dir, 'ingest'))).toEqual([]);
  expect((await imageTar(store, 'pause:3.10', index, 'arm64', supplyIo())).sha256).toBe(sha256);
  // The same image as a mirror has it that copied only this one, or under an index that says more about it.
  const { mediaType, digest, size: bytes } = images[1]!;
  const bare = { mediaType, digest, size: bytes };
  expect((await imageTar(store, 'pause:3.10', bare, 'arm64', supplyIo())).sha256).toBe(sha256);
  const other = await buildIndex(store, [{ ...images[1]!, annotations: { 'org.example.copied': 'yes' } }]);
  expect((await imageTar(store, 'pause:3.10', other, 'arm64', supplyIo())).sha256).toBe(sha256);
});

describe('what the catalog says of images', async () => {
  const catalog = await readCatalog();
  const all = [...catalog.components.values()].flatMap(({ component, images }) =>
    images.flatMap(({ name, versions = '*', made }) =>
      made === undefined ? [] : [{ name: `${component} ${name} ${versions}`, made }],
    ),
  );

  test.each(all)('$name starts with something that is in it', ({ made }) => {
    const [first = ''] = made.entrypoint;
    const programs = [...made.own, ...made.programs].map((name) => `${made.at}/${name}`.replace(/^\/+/, '/'));
    expect([...programs, ...Object.keys(made.files)]).toContain(first);
  });

  test.each(all)('$name: links to programs lead to them', ({ made }) => {
    const own = [...made.own, ...made.programs].map((name) => `${made.at}/${name}`.replace(/^\/+/, '/'));
    for (const target of Object.values(made.links)) {
      const isOwn = target.startsWith('/usr/local/bin/') || target.startsWith('/opt/');
      if (isOwn) expect(own).toContain(target);
      if (target === 'busybox') expect(made.debian).toContain('busybox-static');
    }
  });

  test('sources of kubexm’s own programs are there', () => {
    const names = new Set(all.flatMap(({ made }) => made.own));
    expect([...names].sort()).toEqual(['iptables-wrapper', 'pause', 'testserver']);
    for (const name of names) {
      for (const file of ['main.go', 'go.mod']) {
        expect(existsSync(new URL(`../../data/programs/${name}/${file}`, import.meta.url))).toBe(true);
      }
    }
  });
});
