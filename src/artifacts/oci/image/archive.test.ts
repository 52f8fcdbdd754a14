import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type BlobStore, openBlobStore } from '../content/blob-store.ts';
import { writeArchive } from './archive.ts';
import { type BuiltImage, buildImage, buildIndex, buildLayer } from './build.ts';
import { importLayout, writeLayout } from './layout.ts';
import { type Descriptor, MEDIA } from './types.ts';

const base = mkdtempSync(join(tmpdir(), 'kubexm-archive-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const name = 'registry.k8s.io/pause:3.10';
const arm64 = { os: 'linux', architecture: 'arm64' };
let store: BlobStore;
let index: Descriptor;
let images: readonly BuiltImage[];
let dir: string;

beforeEach(async () => {
  dir = mkdtempSync(join(base, 'd-'));
  store = await openBlobStore(join(dir, 'store'));
  images = await Promise.all(
    ['amd64', 'arm64'].map(async (architecture) => {
      const layer = await buildLayer(store, [{ path: 'pause', data: architecture, mode: 0o755 }]);
      return await buildImage(store, {
        platform: { os: 'linux', architecture },
        layers: [layer],
        entrypoint: ['/pause'],
      });
    }),
  );
  index = await buildIndex(
    store,
    images.map(({ descriptor }) => descriptor),
  );
});

/** The files of an archive, unpacked by tar. */
function unpacked(file: string) {
  const to = `${file}.d`;
  mkdirSync(to);
  expect(spawnSync('tar', ['-xf', file, '-C', to]).status).toBe(0);
  const json = (path: string) => JSON.parse(readFileSync(join(to, path), 'utf8'));
  return { to, json, blobs: readdirSync(join(to, 'blobs/sha256')).length };
}

describe('an archive', () => {
  test('of one platform is for containerd and for docker', async () => {
    const file = join(dir, 'a.tar');
    await writeArchive(store, file, [{ root: index, names: [name, 'other/pause:1'] }], { platform: arm64 });
    const { json, blobs, to } = unpacked(file);
    const { descriptor, id } = images[1]!;
    expect(blobs, 'nothing of the other platform').toBe(3);
    expect(json('oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' });
    expect(json('index.json')).toMatchObject({
      schemaVersion: 2,
      manifests: [
        { digest: descriptor.digest, mediaType: MEDIA.manifest, annotations: { 'io.containerd.image.name': name } },
        { digest: descriptor.digest, annotations: { 'org.opencontainers.image.ref.name': '1' } },
      ],
    });
    const [docker] = json('manifest.json');
    expect(docker).toMatchObject({ Config: `blobs/sha256/${id.slice(7)}`, RepoTags: [name, 'other/pause:1'] });
    const listed = spawnSync('tar', ['-tzf', join(to, docker.Layers[0])]);
    expect(listed.stdout.toString()).toBe('pause\n');
  });

  test('of all platforms keeps the index, and is not for docker', async () => {
    const file = join(dir, 'a.tar');
    await writeArchive(store, file, [{ root: index, names: [name] }]);
    const { json, blobs, to } = unpacked(file);
    expect([json('index.json').manifests[0].digest, blobs, existsSync(join(to, 'manifest.json'))]).toEqual([
      index.digest,
      7,
      false,
    ]);
  });

  test('has the same bytes whenever it is written, also over another', async () => {
    const [one, two] = [join(dir, '1.tar'), join(dir, '2.tar')];
    const both = images.map(({ descriptor }, i) => ({ root: descriptor, names: [`r.io/a:${i}`] }));
    await writeArchive(store, one, both);
    await writeArchive(store, two, [both[0]!]);
    await writeArchive(store, two, both);
    expect(readFileSync(two).equals(readFileSync(one))).toBe(true);
    expect(unpacked(one).json('manifest.json')).toHaveLength(2);
  });

  test('a blob that is missing leaves no file', async () => {
    await store.remove(images[0]!.id);
    const work = writeArchive(store, join(dir, 'a.tar'), [{ root: index, names: [name] }]);
    await expect(work).rejects.toMatchObject({ code: 'KX7120' });
    expect(readdirSync(dir)).toEqual(['store']);
  });

  test('a directory that is not there is named', async () => {
    const work = writeArchive(store, join(dir, 'none', 'a.tar'), [{ root: index, names: [name] }]);
    await expect(work).rejects.toMatchObject({ code: 'KX7122', params: { path: join(dir, 'none', 'a.tar') } });
  });

  test('the error for a missing platform lists those that exist', async () => {
    const options = { platform: { os: 'linux', architecture: 'riscv64' } };
    const work = writeArchive(store, join(dir, 'a.tar'), [{ root: index, names: [name] }], options);
    await expect(work).rejects.toMatchObject({ code: 'KX7124', params: { platform: 'linux/riscv64', what: name } });
  });

  test('can be stopped, and tells how far it is', async () => {
    const stop = new AbortController();
    const progress = () => stop.abort();
    const work = writeArchive(store, join(dir, 'a.tar'), [{ root: index, names: [name] }], {
      signal: stop.signal,
      progress,
    });
    await expect(work).rejects.toMatchObject({ name: 'AbortError' });
    expect(readdirSync(dir)).toEqual(['store']);
  });
});

describe('a layout', () => {
  test('is read as it was written, with blobs that take no space', async () => {
    const images = [{ root: index, names: [name, 'other/pause:1'] }];
    await writeLayout(store, join(dir, 'layout'), images);
    await writeLayout(store, join(dir, 'layout'), images);
    const blob = join(dir, 'layout/blobs/sha256', index.digest.slice(7));
    expect(statSync(blob).ino).toBe(statSync(store.path(index.digest)).ino);
    const other = await openBlobStore(join(dir, 'other'));
    expect(await importLayout(other, join(dir, 'layout'))).toEqual(images);
    await writeArchive(store, join(dir, '1.tar'), images);
    await writeArchive(other, join(dir, '2.tar'), images);
    expect(readFileSync(join(dir, '2.tar')).equals(readFileSync(join(dir, '1.tar')))).toBe(true);
  });

  test.each([
    ['missing', (file: string) => rmSync(file)],
    ['damaged', (file: string) => writeFileSync(file, 'other')],
  ])('with a blob that is %s is an error, and the blob is not kept', async (what, spoil) => {
    await writeLayout(store, join(dir, 'layout'), [{ root: index, names: [name] }]);
    const { id } = images[0]!;
    const file = join(dir, 'layout/blobs/sha256', id.slice(7));
    // A copy: the blob in the layout is the one in the store.
    const content = readFileSync(file);
    rmSync(file);
    writeFileSync(file, content);
    spoil(file);
    const other = await openBlobStore(join(dir, 'other'));
    await expect(importLayout(other, join(dir, 'layout'))).rejects.toMatchObject({
      code: 'KX7125',
      params: { reason: `${id} is ${what}` },
    });
    expect(await other.sizeOf(id)).toBeUndefined();
  });

  test('on another file system holds copies', async (context) => {
    if (!existsSync('/dev/shm') || statSync('/dev/shm').dev === statSync(dir).dev)
      return context.skip('needs a second file system');
    const other = mkdtempSync('/dev/shm/kubexm-layout-');
    try {
      await writeLayout(store, other, [{ root: index, names: [name] }]);
      expect(readFileSync(join(other, 'blobs/sha256', index.digest.slice(7)))).toEqual(await store.bytes(index.digest));
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  });

  test('that is none is an error', async () => {
    await expect(importLayout(store, dir)).rejects.toMatchObject({ code: 'KX7125' });
  });
});
