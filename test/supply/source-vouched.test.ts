import { afterEach, describe, expect, test } from 'vitest';
import type { Source } from '../../src/artifacts/cache/types.ts';
import { mirror, upstream, zone } from '../../src/artifacts/sources/index.ts';
import type { FileNeed } from '../../src/model/catalog/need.ts';
import { noise } from '../oci/workshop.ts';
import { type SelfSigned, selfSigned } from '../support/certificate.ts';
import { FaultServer, serve } from '../support/fault-server.ts';
import { failure, fileNeed, filesJob, hex, imageJob, quick, SourceWorld } from './source-world.ts';

const at = new SourceWorld();
const kubeadm = noise(30_000, 1);
const evil = noise(30_000, 2);
const SILENT = 'http://127.0.0.1:1';

/** Who vouches for the one file that a source gives. */
async function vouched(source: Source, need: FileNeed, env: Record<string, string> = {}): Promise<string | undefined> {
  const got = await source.get(filesJob(need), await at.newStore(), at.io({ env }));
  return [...got.values()][0]?.vouched;
}

/** A private mirror on the server, with a file and its checksum, of a project that does not answer. */
function mirrored(data: Uint8Array, more: Partial<FileNeed> = {}): FileNeed {
  const url = 'https://dl.invalid/kubeadm';
  at.server.on('/raw/dl.invalid/kubeadm', serve(data));
  at.server.on('/raw/dl.invalid/kubeadm.sha256', serve(Buffer.from(hex(data))));
  return fileNeed(url, { checksum: { url: `${url}.sha256`, mirrors: [], form: 'digest' }, ...more });
}
const own = (more: object = {}) => mirror({ ...quick, url: `${at.server.url}/raw`, ...more });

describe('the digest in the catalog', () => {
  test('is believed, and nobody else is asked', async () => {
    const need = mirrored(kubeadm, { digest: `sha256:${hex(kubeadm)}` });
    expect(await vouched(own(), need)).toBe('catalog');
    expect(at.server.requests.map(({ path }) => path)).not.toContain('/raw/dl.invalid/kubeadm.sha256');
    expect(await vouched(own(), mirrored(kubeadm, { digest: `sha512:${hex(kubeadm, 'sha512')}` }))).toBe('catalog');
  });

  test('finds out a mirror whose file and checksum agree', async () => {
    const need = mirrored(evil, { digest: `sha256:${hex(kubeadm)}` });
    const error = await failure(own().get(filesJob(need), at.store, at.io()));
    expect(error).toMatchObject({ code: 'KX7073', params: { got: `sha256:${hex(evil)}` } });
    expect(await at.expectSound()).toEqual([]);
  });

  test('holds for zones, for the project itself, and for manifests without a checksum', async () => {
    const need = at.publish('/kubeadm', evil, { digest: `sha256:${hex(kubeadm)}` });
    for (const source of [upstream(quick), zone(quick)]) {
      for (const one of [need, fileNeed(need.url, { kind: 'manifest', digest: `sha256:${hex(kubeadm)}` })]) {
        const job = filesJob({ ...one, mirrors: [need.url] });
        expect(await failure(source.get(job, at.store, at.io()))).toMatchObject({ code: 'KX7073' });
      }
    }
  });

  test('is part of what a result depends on', async () => {
    const url = 'https://dl.example/a';
    const keys = [fileNeed(url), fileNeed(url, { digest: `sha256:${hex('a')}` })].map((need) => filesJob(need));
    expect(await upstream().key(keys[0]!)).not.toBe(await upstream().key(keys[1]!));
  });
});

describe('without it', () => {
  test('the project vouches for what it publishes, with a checksum or without', async () => {
    expect(await vouched(upstream(quick), at.publish('/kubeadm', kubeadm))).toBe('upstream');
    expect(await vouched(upstream(quick), fileNeed(at.server.on('/m', serve(kubeadm))))).toBe('upstream');
  });

  test('in a zone the project does if it answers, else only the mirror', async () => {
    const need = { ...at.publish('/kubeadm', kubeadm), mirrors: [at.server.on('/copy/kubeadm', serve(kubeadm))] };
    expect(await vouched(zone(quick), need)).toBe('upstream');
    const checksum = { url: `${SILENT}/x`, mirrors: [`${need.url}.sha256`], form: 'digest' as const };
    expect(await vouched(zone(quick), { ...need, checksum })).toBe('mirror');
    const { checksum: _none, ...bare } = need;
    expect(await vouched(zone(quick), bare)).toBe('mirror');
    expect(await vouched(zone(quick), { ...bare, mirrors: [] })).toBe('upstream');
  });

  test('a private mirror has nobody but itself', async () => {
    expect(await vouched(own(), mirrored(kubeadm))).toBe('mirror');
  });
});

const certificate = selfSigned(at.base);
describe.skipIf(certificate === undefined)('a certificate that is not trusted', () => {
  let foreign: FaultServer | undefined;
  const start = async () => (foreign = await new FaultServer(certificate as SelfSigned).start());
  afterEach(async () => await foreign?.stop());

  test('of one mirror: the next one is not asked', async () => {
    const { url } = await start();
    const need = {
      ...at.publish('/kubeadm', kubeadm),
      mirrors: [`${url}/kubeadm`, at.server.on('/2', serve(kubeadm))],
    };
    expect(await failure(zone(quick).get(filesJob(need), at.store, at.io()))).toMatchObject({ code: 'KX7071' });
    expect(at.fetched).toEqual([]);
  });

  test('of the project: the mirror’s checksum is not believed', async () => {
    const { url } = await start();
    const there = at.publish('/kubeadm', kubeadm);
    const checksum = { url: `${url}/kubeadm.sha256`, mirrors: [`${there.url}.sha256`], form: 'digest' as const };
    const job = filesJob({ ...there, mirrors: [there.url], checksum });
    expect(await failure(zone(quick).get(job, at.store, at.io()))).toMatchObject({ code: 'KX7071' });
    expect(at.server.count('/kubeadm.sha256')).toBe(0);
  });

  test('that comes with a redirect', async () => {
    const { url } = await start();
    const away = at.server.on('/away', (_request, response) => void response.writeHead(302, { location: url }).end());
    const need = { ...at.publish('/kubeadm', kubeadm), mirrors: [away, at.server.on('/2', serve(kubeadm))] };
    expect(await failure(zone(quick).get(filesJob(need), at.store, at.io()))).toMatchObject({ code: 'KX7071' });
    expect(at.server.count('/2')).toBe(0);
  });

  test('of a registry', async () => {
    const host = new URL((await start()).url).host;
    const plain = new URL(at.server.url).host;
    const job = imageJob('r.invalid/tool:1', { mirrors: [`${host}/tool:1`, `${plain}/tool:1`] });
    const source = zone({ ...quick, plainRegistries: [plain] });
    expect(await failure(source.get(job, at.store, at.io()))).toMatchObject({ code: 'KX7071', params: { host } });
    expect(at.server.requests.filter(({ path }) => path.startsWith('/v2/tool'))).toEqual([]);
  });
});

describe('plain HTTP', () => {
  const FAR = 'http://mirror.example';
  /** Everything on the way is the server of the test, as a proxy. */
  const env = () => ({ HTTP_PROXY: at.server.url });
  const far = (more: object = {}) => mirror({ ...quick, url: `${FAR}/raw`, ...more });

  function published(more: Partial<FileNeed> = {}): FileNeed {
    for (const path of ['/raw/dl.invalid/kubeadm', '/raw/dl.invalid/kubeadm.sha256']) {
      at.server.on(`${FAR}${path}`, serve(path.endsWith('sha256') ? Buffer.from(hex(kubeadm)) : kubeadm));
    }
    return { ...mirrored(kubeadm), ...more };
  }

  test('does not vouch for anything, with a checksum of its own or without', async () => {
    const { checksum: _none, ...bare } = published();
    for (const need of [published(), bare]) {
      const error = await failure(far().get(filesJob(need), at.store, at.io({ env: env() })));
      expect(error).toMatchObject({ code: 'KX7083', params: { file: 'kubeadm', host: 'mirror.example' } });
    }
    expect(at.fetched.filter((path) => path.includes('kubeadm'))).toEqual([]);
  });

  test('may bring what the catalog knows', async () => {
    expect(await vouched(far(), published({ digest: `sha256:${hex(kubeadm)}` }), env())).toBe('catalog');
  });

  test('is used if the user says so, and then nobody vouches', async () => {
    expect(await vouched(far({ plainHTTP: true }), published(), env())).toBe('nobody');
  });

  test('on this machine itself nobody is on the way', async () => {
    expect(await vouched(own(), mirrored(kubeadm))).toBe('mirror');
  });

  test('images likewise', async () => {
    const job = imageJob('r.invalid/tool:1');
    const refused = await failure(far().get(job, at.store, at.io({ env: env() })));
    expect(refused).toMatchObject({ code: 'KX7083', params: { file: 'r.invalid/tool:1', host: 'mirror.example' } });
    const allowed = await failure(far({ plainHTTP: true }).get(job, at.store, at.io({ env: env() })));
    expect(allowed.code).not.toBe('KX7083');
  });
});
