import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type BlobStore, openBlobStore } from '../content/blob-store.ts';
import { buildImage, buildIndex, buildLayer, type LayerOptions } from './build.ts';
import { layOut, type TreeItem } from './tree.ts';
import { MEDIA } from './types.ts';

const base = mkdtempSync(join(tmpdir(), 'kubexm-image-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let store: BlobStore;
beforeEach(async () => {
  store = await openBlobStore(mkdtempSync(join(base, 's-')));
});

/** The same tree, made in another directory, in another order, at another time, under another umask. */
function tree(dir: string, names: readonly string[], umask: number, time: number): string {
  const root = mkdtempSync(join(base, dir));
  const before = process.umask(umask);
  for (const name of names) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), `content of ${name}\n`.repeat(200));
    if (name.includes('bin/')) chmodSync(join(root, name), 0o777 & ~umask);
    utimesSync(join(root, name), time, time);
  }
  symlinkSync('usr/bin', join(root, 'bin'));
  process.umask(before);
  return root;
}
const names = ['usr/bin/tool', 'usr/bin/other', 'etc/tool.conf', 'usr/share/节点'];

async function image(items: readonly TreeItem[], options: LayerOptions = {}) {
  const layer = await buildLayer(store, items, options);
  return await buildImage(store, {
    platform: { os: 'linux', architecture: 'amd64' },
    layers: [layer],
    entrypoint: ['/usr/bin/tool'],
    labels: { b: '2', a: '1' },
    exposedPorts: ['53/udp'],
  });
}

describe('the same files give the same digests', () => {
  test('whatever directory, order, time, umask and store', async () => {
    const one = await image([{ path: '/', tree: tree('one-', names, 0o022, 1_000_000) }]);
    store = await openBlobStore(mkdtempSync(join(base, 's-')));
    const two = await image([{ path: '/', tree: tree('another-', names.toReversed(), 0o077, 1_700_000_000) }]);
    expect(two).toEqual(one);
  });

  test('and other files, names, modes, times and settings others', async () => {
    const items: TreeItem[] = [{ path: 'bin/tool', data: 'x', mode: 0o755 }];
    const digests = [
      await image(items),
      await image([{ path: 'bin/tool', data: 'y', mode: 0o755 }]),
      await image([{ path: 'bin/tooL', data: 'x', mode: 0o755 }]),
      await image([{ path: 'bin/tool', data: 'x', mode: 0o644 }]),
      await image(items, { mtime: 1 }),
    ].map(({ id }) => id);
    expect(new Set(digests).size).toBe(digests.length);
  });

  test('the id does not depend on how layers are packed', async () => {
    const items: TreeItem[] = [{ path: 'a', data: 'a'.repeat(10_000) }];
    const [packed, plain] = [await image(items), await image(items, { compression: 'none' })];
    expect(plain.id).toBe(packed.id);
    expect(plain.descriptor.digest).not.toBe(packed.descriptor.digest);
  });

  test('these bytes, today and in a year', async () => {
    const { id, descriptor } = await image([{ path: 'a', data: 'a' }], { compression: 'none' });
    expect({ id, manifest: descriptor.digest }).toMatchInlineSnapshot(`
      {
        "id": "sha256:73e362cba448c76cb219687d779842d9f56fb0d5338826fb2b194f5f5a710ec7",
        "manifest": "sha256:e93bec81f585ad6d21f6e41b3b41dfefd76ef6fffee6c75fea23e74efaf8a7a6",
      }
    `);
  });
});

test('manifest and configuration say what they must', async () => {
  const { descriptor, id } = await image([{ path: 'a', data: 'a' }]);
  const manifest = JSON.parse((await store.bytes(descriptor.digest)).toString());
  expect(manifest).toMatchObject({ schemaVersion: 2, mediaType: MEDIA.manifest, config: { digest: id } });
  const layer = manifest.layers[0];
  const unpacked = spawnSync('sh', ['-c', `gzip -dc < '${store.path(layer.digest)}' | sha256sum`]);
  const config = JSON.parse((await store.bytes(id)).toString());
  expect(config).toEqual({
    architecture: 'amd64',
    os: 'linux',
    created: '1970-01-01T00:00:00Z',
    config: {
      Entrypoint: ['/usr/bin/tool'],
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
      ExposedPorts: { '53/udp': {} },
      Labels: { a: '1', b: '2' },
      WorkingDir: '/',
    },
    rootfs: { type: 'layers', diff_ids: [`sha256:${unpacked.stdout.toString().slice(0, 64)}`] },
    history: [{ created: '1970-01-01T00:00:00Z', created_by: 'kubexm' }],
  });
});

test('an index names its platforms, in whatever order they were built', async () => {
  const layer = await buildLayer(store, [{ path: 'a', data: 'a' }]);
  const [amd64, arm64] = await Promise.all(
    ['amd64', 'arm64'].map((architecture) =>
      buildImage(store, { platform: { os: 'linux', architecture }, layers: [layer] }),
    ),
  );
  const index = await buildIndex(store, [amd64!.descriptor, arm64!.descriptor]);
  expect(await buildIndex(store, [arm64!.descriptor, amd64!.descriptor])).toEqual(index);
  const { manifests } = JSON.parse((await store.bytes(index.digest)).toString());
  expect(manifests.map((one: { platform: { architecture: string } }) => one.platform.architecture).sort()).toEqual([
    'amd64',
    'arm64',
  ]);
});

describe('a tree', () => {
  const dir = mkdtempSync(join(base, 'in-'));
  writeFileSync(join(dir, 'f'), 'f');
  mkdirSync(join(dir, 'd'));
  chmodSync(join(dir, 'd'), 0o1777);

  test('gets the directories it needs, and keeps rights where asked to', async () => {
    const entries = await layOut([
      { path: '/opt/x/', tree: dir, keepModes: true },
      { path: 'opt/y/f', file: join(dir, 'f'), mode: 0o4755 },
      { path: 'lib', link: 'usr/lib' },
    ]);
    expect(
      Object.fromEntries(entries.map(({ path, mode, content }) => [path, `${content.kind} ${mode.toString(8)}`])),
    ).toEqual({
      opt: 'directory 755',
      'opt/x': 'directory 700',
      'opt/x/d': 'directory 1777',
      'opt/x/f': 'file 644',
      'opt/y': 'directory 755',
      'opt/y/f': 'file 4755',
      lib: 'link 777',
    });
  });

  test.each<readonly [string, readonly TreeItem[]]>([
    [
      'it is there twice',
      [
        { path: 'a', data: '' },
        { path: '/a', data: '' },
      ],
    ],
    ['it would lie outside the image', [{ path: 'a/../../b', data: '' }]],
    [
      'something is to lie below it, but it is no directory',
      [
        { path: 'a', link: 'b' },
        { path: 'a/c', data: '' },
      ],
    ],
    ['ENOENT', [{ path: 'a', file: join(dir, 'none') }]],
    ['it is no file', [{ path: 'a', file: dir }]],
    ['it is neither a file, a directory nor a symbolic link', [{ path: 'a', tree: '/dev/null' }]],
  ])('refused: %s', async (reason, items) => {
    await expect(layOut(items)).rejects.toMatchObject({ code: 'KX7123', params: { reason } });
  });
});
