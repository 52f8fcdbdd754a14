import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSupply } from '../../src/artifacts/cache/index.ts';
import { mirror, upstream, zone } from '../../src/artifacts/sources/index.ts';
import { networkSource } from '../../src/artifacts/sources/web/source.ts';
import { noise } from '../oci/workshop.ts';
import { selfSigned } from '../support/certificate.ts';
import { cut, serve } from '../support/fault-server.ts';
import { contentOf, failure, fileNeed, filesJob, hex, member, quick, SourceWorld, tarGz } from './source-world.ts';

const at = new SourceWorld();
const kubeadm = noise(300_000, 1);
const kubelet = noise(200_000, 2);

test('programs by their ids, with progress', async () => {
  const job = filesJob(
    at.publish('/bin/kubeadm', kubeadm, { programs: { kubeadm: 'kubeadm' } }),
    at.publish('/bin/kubelet', kubelet),
  );
  const got = await upstream(quick).get(job, at.store, at.io());
  expect([...got].sort()).toEqual([
    ['tool/1.2.3/amd64/kubeadm', { sha256: hex(kubeadm), size: kubeadm.length, vouched: 'upstream' }],
    ['tool/1.2.3/amd64/kubelet', { sha256: hex(kubelet), size: kubelet.length, vouched: 'upstream' }],
  ]);
  expect(await at.expectSound()).toHaveLength(2);
  expect(at.progress.at(-1)).toEqual([500_000, 500_000]);
  expect(at.said).toContain('fetching kubeadm');
  expect(at.arriving()).toEqual([]);
});

test('of two sources at once each gives its own file, not what the other got', async () => {
  const need = fileNeed('https://upstream.example/tool');
  const gives = (name: string, data: Uint8Array) => {
    const url = new URL(at.server.on(`/${name}/tool`, serve(data)));
    const places = { urls: [{ url, of: 'mirror' as const }], checksums: [] };
    return networkSource({ name, of: 'mirror', options: quick, files: () => places, images: () => [] });
  };
  const sources = [gives('one', kubeadm), gives('two', kubelet)];
  const got = await Promise.all(sources.map((source) => source.get(filesJob(need), at.store, at.io())));
  expect(got.map((files) => [...files.values()].map(({ sha256 }) => sha256))).toEqual([[hex(kubeadm)], [hex(kubelet)]]);
});

test('an archive becomes its programs, and does not stay', async () => {
  const archive = await tarGz([
    member('bin/one', kubeadm),
    member('bin/two', kubelet),
    member('README.md', 'read me', 0o644),
    { path: 'bin/alias', mode: 0o777, content: { kind: 'link', target: '/etc/passwd' } },
  ]);
  const need = at.publish('/tool.tar.gz', archive, {
    kind: 'archive',
    programs: { one: 'bin/one', second: './bin/two' },
  });
  const got = await upstream(quick).get(filesJob(need), at.store, at.io());
  expect([...got.keys()]).toEqual(['tool/1.2.3/amd64/one', 'tool/1.2.3/amd64/second']);
  expect(hex(await contentOf(at.store, got.get('tool/1.2.3/amd64/second')))).toBe(hex(kubelet));
  expect((await at.expectSound()).toSorted()).toEqual([hex(kubeadm), hex(kubelet)].sort());
});

test('an archive without programs stays as it is', async () => {
  const chart = await tarGz([member('chart/Chart.yaml', 'name: x', 0o644)]);
  const got = await upstream(quick).get(
    filesJob(at.publish('/chart.tgz', chart, { kind: 'chart' })),
    at.store,
    at.io(),
  );
  expect(hex(await contentOf(at.store, got.get('tool/1.2.3/amd64/chart.tgz')))).toBe(hex(chart));
});

test.each<[string, () => Promise<Buffer>, RegExp]>([
  ['lacks a program', async () => await tarGz([member('bin/other', 'x')]), /it has no bin\/one/],
  [
    'has a link in its place',
    async () => await tarGz([{ path: 'bin/one', mode: 0o777, content: { kind: 'link', target: '/bin/sh' } }]),
    /bin\/one in it is no file/,
  ],
  [
    'leads out of itself',
    async () => await tarGz([member('../../etc/cron.d/x', 'x'), member('bin/one', 'x')]),
    /leads out of it/,
  ],
  ['is cut off inside', async () => (await tarGz([member('bin/one', kubeadm)])).subarray(0, 100_000), /gzip|too early/],
  ['is no archive', async () => Buffer.from('<html>not found</html>'.repeat(100)), /no tar/],
])('an archive that %s', async (_name, archive, reason) => {
  const need = at.publish('/tool.tar.gz', await archive(), { kind: 'archive', programs: { one: 'bin/one' } });
  const error = await failure(upstream(quick).get(filesJob(need), at.store, at.io()));
  expect(error).toMatchObject({ code: 'KX7074', params: { file: 'tool.tar.gz' } });
  expect(error.params['reason']).toMatch(reason);
  await at.expectSound();
});

test('checksums in a list, and by sha512', async () => {
  const url = at.server.on('/v1/kubeadm', serve(kubeadm));
  const sums = at.server.on(
    '/v1/SUMS',
    serve(Buffer.from(`${'a'.repeat(128)}  other\n${hex(kubeadm, 'sha512')}  kubeadm\n`)),
  );
  const job = filesJob(fileNeed(url, { checksum: { url: sums, mirrors: [], form: 'sums' } }));
  const got = await upstream(quick).get(job, at.store, at.io());
  expect(got.get('tool/1.2.3/amd64/kubeadm')).toEqual({
    sha256: hex(kubeadm),
    size: kubeadm.length,
    vouched: 'upstream',
  });
  expect(await at.expectSound()).toEqual([hex(kubeadm)]);
});

test('without a checksum nothing is used of a file that has one', async () => {
  const url = at.server.on('/kubeadm', serve(kubeadm));
  const job = filesJob(fileNeed(url, { checksum: { url: `${url}.sha256`, mirrors: [], form: 'digest' } }));
  const error = await failure(upstream(quick).get(job, at.store, at.io()));
  expect(error).toMatchObject({ code: 'KX7080', params: { file: 'kubeadm', reason: 'status 404 Not Found' } });
  expect(at.fetched).toEqual([]);
});

test('a file whose project publishes no checksum', async () => {
  const url = at.server.on('/calico.yaml', cut(kubeadm, 100_000));
  const job = filesJob(fileNeed(url, { kind: 'manifest' }));
  expect(await failure(upstream({ ...quick, attempts: 1 }).get(job, at.store, at.io()))).toMatchObject({
    code: 'KX7072',
  });
  expect(at.arriving()).toHaveLength(2);
  at.server.on('/calico.yaml', serve(kubeadm));
  const got = await upstream(quick).get(job, at.store, at.io());
  expect(hex(await contentOf(at.store, got.get('tool/1.2.3/amd64/calico.yaml')))).toBe(hex(kubeadm));
  expect(at.server.requests.at(-1)).toMatchObject({ range: 'bytes=100000-', ifRange: '"v1"' });
  expect(at.arriving()).toEqual([]);
});

test('a file that changed between two halves is downloaded again', async () => {
  const url = at.server.on('/calico.yaml', cut(kubeadm, 100_000));
  const job = filesJob(fileNeed(url, { kind: 'manifest' }));
  await failure(upstream({ ...quick, attempts: 1 }).get(job, at.store, at.io()));
  const other = noise(kubeadm.length, 9);
  at.server.on('/calico.yaml', serve(other, '"v2"'));
  const got = await upstream(quick).get(job, at.store, at.io());
  expect(hex(await contentOf(at.store, got.get('tool/1.2.3/amd64/calico.yaml')))).toBe(hex(other));
});

test('keys say what the result depends on, without the network and without a password', async () => {
  const job = filesJob(fileNeed('https://dl.example/a'));
  const other = filesJob(fileNeed('https://dl.example/b'));
  const keys = [
    await upstream().key(job),
    await upstream().key(other),
    await mirror({ url: 'https://m.example/raw', username: 'me', password: 'x' }).key(job),
    await mirror({ url: 'https://n.example/raw' }).key(job),
  ];
  expect(new Set(keys).size).toBe(4);
  expect(await mirror({ url: 'https://m.example/raw/' }).key(job)).toBe(keys[2]);
  expect(await zone().key(job)).toBeUndefined();
  expect(
    await zone().key(filesJob(fileNeed('https://dl.example/a', { mirrors: ['https://z.example/a'] }))),
  ).toBeDefined();
});

test('a zone: the file from the mirror, its digest from the project', async () => {
  const need = at.publish('/up/kubeadm', kubeadm);
  const bad = at.server.on('/bad/kubeadm', serve(kubelet));
  const good = at.server.on('/good/kubeadm', serve(kubeadm));
  const gone = 'http://127.0.0.1:1/kubeadm';
  const got = await zone(quick).get(filesJob({ ...need, mirrors: [gone, bad, good] }), at.store, at.io());
  expect(got.get('tool/1.2.3/amd64/kubeadm')?.sha256).toBe(hex(kubeadm));
  expect(at.fetched).toEqual(['/bad/kubeadm', '/good/kubeadm']);
});

test('a zone whose project does not answer: the mirror is believed', async () => {
  const there = at.publish('/kubeadm', kubeadm);
  const need = fileNeed('http://127.0.0.1:1/kubeadm', {
    mirrors: [there.url],
    checksum: { url: 'http://127.0.0.1:1/kubeadm.sha256', mirrors: [`${there.url}.sha256`], form: 'digest' },
  });
  const got = await zone(quick).get(filesJob(need), at.store, at.io());
  expect(got.get('tool/1.2.3/amd64/kubeadm')?.sha256).toBe(hex(kubeadm));
});

test('a mirror that lies is found out', async () => {
  const need = { ...at.publish('/kubeadm', kubeadm), mirrors: [at.server.on('/bad', serve(kubelet))] };
  const error = await failure(zone(quick).get(filesJob(need), at.store, at.io()));
  expect(error).toMatchObject({
    code: 'KX7073',
    params: { file: 'kubeadm', got: `sha256:${hex(kubelet)}`, want: `sha256:${hex(kubeadm)}` },
  });
  expect(await at.expectSound()).toEqual([]);
});

test('a private mirror: layout, password, and what a wrong one looks like', async () => {
  const header = `Basic ${Buffer.from('me:p%40ss w/ürd').toString('base64')}`;
  const guarded =
    (data: Uint8Array) =>
    (request: Parameters<ReturnType<typeof serve>>[0], response: Parameters<ReturnType<typeof serve>>[1], n: number) =>
      request.headers.authorization === header ? serve(data)(request, response, n) : void response.writeHead(401).end();
  at.server.on('/repository/raw/dl.k8s.io/release/v1/kubeadm', guarded(kubeadm));
  at.server.on('/repository/raw/dl.k8s.io/release/v1/kubeadm.sha256', guarded(Buffer.from(hex(kubeadm))));
  const url = 'https://dl.k8s.io/release/v1/kubeadm';
  const job = filesJob(fileNeed(url, { checksum: { url: `${url}.sha256`, mirrors: [], form: 'digest' } }));
  const options = { ...quick, url: `${at.server.url}/repository/raw/`, username: 'me', password: 'p%40ss w/ürd' };
  const source = mirror(options);
  expect(source.name).toBe(`mirror ${at.server.url}/repository/raw`);
  const got = await source.get(job, at.store, at.io());
  expect(got.get('tool/1.2.3/amd64/kubeadm')?.sha256).toBe(hex(kubeadm));
  const error = await failure(mirror({ ...options, password: 'wrong' }).get(job, await at.newStore(), at.io()));
  expect(error).toMatchObject({ code: 'KX7079', params: { status: 401 } });
  expect(`${error.message}${error.detail ?? ''}${JSON.stringify(error.params)}`).not.toContain('wrong');
});

test('a private authority: known, unknown, and a file that is not there', async (context) => {
  const made = selfSigned(at.base);
  if (made === undefined) return context.skip('needs openssl');
  const secure = createSecure(made, (request, response) => {
    if (request.url === '/dl.example/leave')
      response.writeHead(302, { location: at.server.on('/plain', serve(kubeadm)) }).end();
    else serve(kubeadm)(request, response, 0);
  });
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  try {
    const url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
    const job = filesJob(fileNeed('https://dl.example/calico.yaml', { kind: 'manifest' }));
    const got = await mirror({ ...quick, url, caFile: made.certFile }).get(job, at.store, at.io());
    expect(got.size).toBe(1);
    expect(await failure(mirror({ ...quick, url }).get(job, at.store, at.io()))).toMatchObject({
      code: 'KX7071',
      params: { host: url.slice(8) },
    });
    expect(
      await failure(mirror({ ...quick, url, caFile: join(at.base, 'none.pem') }).get(job, at.store, at.io())),
    ).toMatchObject({
      code: 'KX7081',
      params: { reason: 'ENOENT' },
    });
    expect(
      await failure(upstream({ ...quick, caFile: import.meta.filename }).get(job, at.store, at.io())),
    ).toMatchObject({ code: 'KX7081', params: { reason: 'it has no certificate in PEM' } });
    const direct = filesJob(fileNeed(`${url}/calico.yaml`, { kind: 'manifest', mirrors: [`${url}/calico.yaml`] }));
    const { sources } = await openSupply(join(at.base, 'cache'), [
      { type: 'upstream', caFile: made.certFile },
      { type: 'zone', caFile: made.certFile },
    ]);
    for (const source of sources) expect((await source.get(direct, await at.newStore(), at.io())).size).toBe(1);
    for (const source of [upstream, zone]) {
      expect(await failure(source(quick).get(direct, await at.newStore(), at.io()))).toMatchObject({ code: 'KX7071' });
    }
    // Nobody but https vouches for this one.
    const leave = filesJob(fileNeed('https://dl.example/leave', { kind: 'manifest' }));
    const error = await failure(mirror({ ...quick, url, caFile: made.certFile }).get(leave, at.store, at.io()));
    expect(error.params['reason']).toMatch(/redirect from https to http:/);
  } finally {
    secure.closeAllConnections();
    secure.close();
  }
});

test('two needs of one archive do not take it away from each other', async () => {
  const archive = await tarGz([member('bin/one', kubeadm), member('bin/two', kubelet)]);
  const need = at.publish('/tool.tgz', archive, { kind: 'archive', programs: { one: 'bin/one' } });
  const job = filesJob(need, { ...need, programs: { two: 'bin/two' } });
  const got = await upstream(quick).get(job, at.store, at.io());
  expect([...got.keys()]).toEqual(['tool/1.2.3/amd64/one', 'tool/1.2.3/amd64/two']);
  expect(await at.expectSound()).toHaveLength(2);
});

test('a damaged file of the store is replaced', async () => {
  const job = filesJob(at.publish('/kubeadm', kubeadm));
  const source = upstream(quick);
  await source.get(job, at.store, at.io());
  const path = at.store.path(`sha256:${hex(kubeadm)}`);
  const bytes = readFileSync(path);
  bytes[1000] = (bytes[1000] ?? 0) ^ 1;
  rmSync(path);
  writeFileSync(path, bytes);
  await source.get(job, at.store, at.io());
  expect(await at.expectSound()).toEqual([hex(kubeadm)]);
});
