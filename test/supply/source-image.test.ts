import { expect, test } from 'vitest';
import { openBlobStore, parseReference } from '../../src/artifacts/oci/index.ts';
import { mirror, upstream, zone } from '../../src/artifacts/sources/index.ts';
import { untar } from '../../src/artifacts/sources/tar/untar.ts';
import { sampleImage, Workshop } from '../oci/workshop.ts';
import { contentOf, failure, imageJob, quick, SourceWorld } from './source-world.ts';

const at = new Workshop();
const world = new SourceWorld();

async function pushed(repository: string): Promise<void> {
  const { index } = await sampleImage(at.source, 50_000);
  await at.open().push(at.source, index, parseReference(`${at.fake.host}/${repository}`));
}

async function namesIn(data: Buffer): Promise<readonly string[]> {
  const names: string[] = [];
  const one = async function* () {
    yield data;
  };
  await untar(one(), { members: 100, bytes: 1e9 }, async ({ path }) => void names.push(path));
  return names;
}

test('an image for one processor, as a tar; the same one wherever it came from', async () => {
  await pushed('team/tool:1');
  const options = { ...quick, stallSeconds: 5, plainRegistries: [at.fake.host] };
  const direct = imageJob(`${at.fake.host}/team/tool:1`);
  const got = await upstream(options).get(direct, world.store, world.io());
  const id = `image/${at.fake.host}/team/tool:1/amd64`;
  expect([...got.keys()]).toEqual([id]);
  const names = await namesIn(await contentOf(world.store, got.get(id)));
  expect(names).toEqual(expect.arrayContaining(['index.json', 'manifest.json', 'oci-layout']));
  expect(world.progress.length).toBeGreaterThan(0);
  // Nothing of the other processor: its own layer was not even asked for.
  const blobs = at.fake.calls('GET', '/blobs/').length;
  expect(blobs).toBe(3);

  const elsewhere = {
    ...direct,
    image: { ...direct.image, mirrors: ['127.0.0.1:1/no/tool:1', `${at.fake.host}/team/tool:1`] },
  };
  const zoned = await zone({ ...options, plainRegistries: [...options.plainRegistries, '127.0.0.1:1'] }).get(
    elsewhere,
    await openBlobStore(`${world.base}/zoned`),
    world.io(),
  );
  const one = (from: typeof got) => [...from.values()][0];
  expect(one(zoned)).toEqual({ ...one(got), vouched: 'mirror' });
});

test('a tar has the name that the cluster gives the image: runtimes look for no other', async () => {
  await pushed('team/tool:1');
  const job = imageJob(`${at.fake.host}/team/tool:1`);
  const named = { ...job, image: { ...job.image, reference: 'hub.example.com/library/tool:1' } };
  const options = { ...quick, stallSeconds: 5, plainRegistries: [at.fake.host] };
  const got = await upstream(options).get(named, world.store, world.io());
  const id = 'image/hub.example.com/library/tool:1/amd64';
  expect([...got.keys()]).toEqual([id]);
  const tar = (await contentOf(world.store, got.get(id))).toString('latin1');
  expect(tar).toContain('"RepoTags":["hub.example.com/library/tool:1"]');
  expect(tar).not.toContain(`${at.fake.host}/team/tool:1`);
});

test('a mirror: its registry, a path in it, a login', async () => {
  await pushed('proxy/coredns/coredns:v1.12.1');
  at.fake.login = { scheme: 'basic', username: 'me', password: 'correct horse' };
  const job = imageJob('registry.k8s.io/coredns/coredns:v1.12.1');
  const options = {
    ...quick,
    stallSeconds: 5,
    url: `${at.fake.url}/raw`,
    registry: `${at.fake.host}/proxy`,
    username: 'me',
    password: 'correct horse',
  };
  const got = await mirror(options).get(job, world.store, world.io());
  expect([...got.keys()]).toEqual(['image/registry.k8s.io/coredns/coredns:v1.12.1/amd64']);
  const wrong = await failure(mirror({ ...options, password: 'x' }).get(job, world.store, world.io()));
  expect(wrong.code).toBe('KX7103');
});

test('an image that is not there, and one without this processor', async () => {
  await pushed('team/tool:1');
  const options = { ...quick, stallSeconds: 5, plainRegistries: [at.fake.host] };
  const missing = imageJob(`${at.fake.host}/team/other:1`);
  expect((await failure(upstream(options).get(missing, world.store, world.io()))).code).toBe('KX7107');
  const odd = { ...imageJob(`${at.fake.host}/team/tool:1`), arch: 'riscv64' as 'amd64' };
  expect((await failure(upstream(options).get(odd, world.store, world.io()))).code).toBe('KX7124');
});
