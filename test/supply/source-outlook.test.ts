import { expect, test } from 'vitest';
import { survey } from '../../src/artifacts/cache/survey.ts';
import type { Job, Source } from '../../src/artifacts/cache/types.ts';
import { parseReference } from '../../src/artifacts/oci/index.ts';
import { mirror, upstream, zone } from '../../src/artifacts/sources/index.ts';
import { noise, sampleImage, Workshop } from '../oci/workshop.ts';
import { type Behaviour, serve } from '../support/fault-server.ts';
import { fileNeed, filesJob, hasty, imageJob, quick, SourceWorld } from './source-world.ts';

const at = new SourceWorld();
const content = noise(100_000, 1);
const status =
  (code: number): Behaviour =>
  (_request, response) =>
    void response.writeHead(code).end();
/** A server that knows nothing but GET. */
const onlyGet =
  (head: Behaviour): Behaviour =>
  (request, response, n) =>
    (request.method === 'GET' ? serve(content) : head)(request, response, n);

const why = async (source: Source, job: Job) => (await source.outlook?.(job, at.io()))?.why;

test('a server that answers and does not have a file does not give it, and the next source is known before anything is got', async () => {
  const there = at.publish('/runc', content);
  const job = filesJob(there, fileNeed(`${at.server.url}/gone`));
  const source = upstream(quick);
  expect(await why(source, job)).toMatchObject({
    code: 'KX7072',
    params: { file: 'gone', reason: 'status 404 Not Found' },
  });
  const missing = [{ need: 'libseccomp-dev', by: 'tool 1.2.3' }];
  const go: Source = {
    name: 'go',
    vouches: 'go-sumdb',
    key: async () => 'go',
    get: async () => Promise.reject(new Error('nothing is got by asking')),
    outlook: async () => ({ missing }),
  };
  expect(await survey({ sources: [source, go] }, [job], at.io())).toMatchObject([{ source: 'go', missing }]);
  expect(await survey({ sources: [source, go] }, [filesJob(there)], at.io())).toMatchObject([
    { source: 'upstream', missing: [] },
  ]);
  // Each address was asked once, and nothing was downloaded: the second question about a file is for one byte of it.
  const asked = at.server.requests.map(({ path, range = '' }) => `${path} ${range}`.trim()).sort();
  expect(asked).toEqual(['/', '/gone', '/gone bytes=0-0', '/runc', '/runc.sha256']);
});

test.each([
  ['refuses HEAD', status(405), quick],
  ['says that it has nothing', status(404), quick],
  ['breaks', (_request: unknown, response: { destroy(): void }) => response.destroy(), quick],
  ['is silent', () => undefined, hasty],
] as [string, Behaviour, typeof quick][])(
  'a server that %s on HEAD is asked for the first byte',
  async (_name, head, options) => {
    const url = at.server.on('/f', onlyGet(head));
    expect(await why(upstream(options), filesJob(fileNeed(url)))).toBeUndefined();
  },
);

test.each([403, 410, 500, 503])('status %i: not from here', async (code) => {
  const url = at.server.on('/f', status(code));
  expect((await why(upstream(quick), filesJob(fileNeed(url))))?.params['reason']).toContain(`status ${code}`);
});

test('an empty file is one', async () => {
  const url = at.server.on('/f', (request, response) => {
    response.writeHead(request.method === 'HEAD' ? 405 : 416).end();
  });
  expect(await why(upstream(quick), filesJob(fileNeed(url)))).toBeUndefined();
});

test('a file whose published checksum is not there does not come from here, unless the catalog has its digest', async () => {
  const url = at.server.on('/f', serve(content));
  const checksum = { url: `${url}.sha256`, mirrors: [], form: 'digest' } as const;
  expect(await why(upstream(quick), filesJob(fileNeed(url, { checksum })))).toMatchObject({ code: 'KX7072' });
  const known = fileNeed(url, { checksum, digest: `sha256:${'0'.repeat(64)}` });
  expect(await why(upstream(quick), filesJob(known))).toBeUndefined();
});

test('the first mirror that has it is enough; the error is of one that answered', async () => {
  const good = at.server.on('/good/f', serve(content));
  const need = (...mirrors: string[]) => filesJob(fileNeed('https://example.invalid/f', { mirrors }));
  expect(await why(zone(quick), need(`${at.server.url}/bad/f`, good))).toBeUndefined();
  expect(await why(zone(quick), need(`${at.server.url}/bad/f`, 'http://127.0.0.1:1/f'))).toMatchObject({
    code: 'KX7072',
    params: { reason: 'status 404 Not Found' },
  });
  const login = mirror({ ...quick, url: `${at.server.url}/m`, username: 'u', password: 'wrong' });
  at.server.on('/m/example.invalid/f', status(401));
  expect(await why(login, need())).toMatchObject({ code: 'KX7079' });
});

const workshop = new Workshop();

test('images: by what the registry has, not by whether it answers', async () => {
  const { host } = workshop.fake;
  const { index } = await sampleImage(workshop.source, 50_000);
  await workshop.open().push(workshop.source, index, parseReference(`${host}/team/tool:1`));
  const source = upstream({ ...quick, plainRegistries: [host] });
  expect(await why(source, imageJob(`${host}/team/tool:1`))).toBeUndefined();
  expect(await why(source, imageJob(`${host}/team/tool:2`))).toMatchObject({ code: 'KX7107' });
  expect(workshop.fake.calls('GET', '/blobs/')).toHaveLength(0);
  const asked = workshop.fake.calls('HEAD', '/manifests/').length;
  expect(await why(source, imageJob(`${host}/team/tool:2`))).toMatchObject({ code: 'KX7107' });
  expect(workshop.fake.calls('HEAD', '/manifests/')).toHaveLength(asked);
});
