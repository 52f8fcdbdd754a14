import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type BlobStore,
  type Descriptor,
  importLayout,
  openRegistry,
  parseReference,
  writeArchive,
} from '../../src/artifacts/oci/index.ts';
import { imageTar, makeImage } from '../../src/artifacts/sources/image/index.ts';
import { type DelayProxy, startProxy } from '../rig/proxy.ts';
import { fakeProgram, madeOf, supplyIo } from '../supply/image-world.ts';
import { BUILD_MS, RealRegistry, registryProgram } from './real-registry.ts';
import { TokenServer } from './token-server.ts';
import { failure, PASSWORD, sampleImage, Workshop } from './workshop.ts';

const at = new Workshop();
const base = mkdtempSync(join(tmpdir(), 'kubexm-registry-'));
const SIZE = 6_000_000;
/** Of PASSWORD, as `htpasswd -B` writes it. */
const HTPASSWD = 'me:$2a$04$V8NySVyWofDCL4Rnunav0.R2iaGti4I6shBuBeh7BtbvVNfXEpipS\n';
let program: string | undefined;
let missing = '';
let index: Descriptor;
let registry: RealRegistry;

beforeAll(async () => {
  const found = await registryProgram();
  if ('path' in found) program = found.path;
  else missing = found.missing;
}, BUILD_MS + 60_000);
beforeEach(async (context) => {
  if (program === undefined) return context.skip(missing);
  ({ index } = await sampleImage(at.source, SIZE));
});
afterAll(async () => {
  rmSync(base, { recursive: true, force: true });
});

const credentials = (password = PASSWORD) => ({ credentials: () => ({ username: 'me', password }) });

/** Everything that was pulled is what was pushed, byte for byte. */
async function expectSame(
  target: BlobStore,
  from: ReturnType<typeof at.open>,
  name: ReturnType<typeof parseReference>,
) {
  const { root, contents } = await from.pull(target, name);
  expect(root).toEqual(index);
  for (const { digest } of [...contents.manifests, ...contents.blobs]) {
    expect((await target.bytes(digest)).equals(await at.source.bytes(digest)), digest).toBe(true);
  }
}

describe('distribution 3.0.0 with TLS of a private authority and passwords', () => {
  let ca = '';

  beforeAll(async () => {
    if (program === undefined) return;
    const [key, certificate, htpasswd] = ['key.pem', 'cert.pem', 'htpasswd'].map((name) => join(base, name));
    spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=registry'],
      ...['-keyout', key!, '-out', certificate!, '-addext', 'subjectAltName=IP:127.0.0.1'],
    ]);
    ca = readFileSync(certificate!, 'utf8');
    writeFileSync(htpasswd!, HTPASSWD);
    registry = await RealRegistry.start(program, base, {
      http: { tls: { certificate, key } },
      auth: { htpasswd: { realm: 'registry', path: htpasswd } },
    });
  });
  afterAll(async () => await registry?.stop());

  const open = (more: Partial<Parameters<typeof openRegistry>[0]> = {}) =>
    at.open({ registry: registry.host, plainHttp: false, stallSeconds: 20, ca, ...credentials(), ...more });
  const name = (repository: string) => parseReference(`${registry.host}/${repository}:1`);

  test('push, pull, the same digest; and the same image can be written out', async () => {
    const client = open();
    expect(await client.push(at.source, index, name('team/whole'))).toBe(index.digest);
    expect(await client.resolve(name('team/whole'))).toBe(index.digest);
    await expectSame(at.target, client, name('team/whole'));
    const [made, pulled] = ['made.tar', 'pulled.tar'].map((file) => join(base, file));
    const images = [{ root: index, names: [`${registry.host}/team/whole:1`] }];
    await writeArchive(at.source, made!, images);
    await writeArchive(at.target, pulled!, images);
    expect(readFileSync(pulled!).equals(readFileSync(made!))).toBe(true);
  });

  test('an image that kubexm made: pushed, pulled, and the same tar again', async () => {
    const made = madeOf({ programs: ['tool'], entrypoint: ['/usr/local/bin/tool'], user: '65532:65532' });
    const programs = { tool: join(base, 'tool') };
    writeFileSync(programs.tool, fakeProgram('amd64', 'x'.repeat(100_000)));
    const reference = `${registry.host}/team/made:1`;
    const cache = mkdtempSync(join(base, 'made-'));
    const tar = await makeImage({ made, reference, arch: 'amd64', programs }, at.source, cache, supplyIo());
    // As anybody would push it who has nothing but the file.
    const layout = mkdtempSync(join(base, 'layout-'));
    spawnSync('tar', ['-xf', at.source.path(`sha256:${tar.sha256}`), '-C', layout]);
    const [image] = await importLayout(at.source, layout);
    expect(image?.names).toEqual([reference]);
    const { root } = image!;
    expect(await open().push(at.source, root, parseReference(reference))).toBe(root.digest);
    const pulled = await open().pull(at.target, parseReference(reference));
    expect(pulled.root.digest).toBe(root.digest);
    const again = await imageTar(at.target, reference, pulled.root, 'amd64', supplyIo());
    expect(again.sha256).toBe(tar.sha256);
  });

  test('in pieces', async () => {
    await open({ chunkBytes: 1_000_000 }).push(at.source, index, name('team/pieces'));
    expect(registry.asked(/^PATCH \/v2\/team\/pieces\/.* 202$/)).toHaveLength(14);
    await expectSame(at.target, open(), name('team/pieces'));
  });

  test('mounted from another repository', async () => {
    await open().push(at.source, index, name('team/first'));
    await open().push(at.source, index, name('team/second'), { mountFrom: 'team/first' });
    expect(registry.asked(/^POST \/v2\/team\/second\/.*mount=.* 201$/)).toHaveLength(5);
    expect(registry.asked(/^PUT \/v2\/team\/second\/blobs/)).toEqual([]);
    await expectSame(at.target, open(), name('team/second'));
  });

  test('a cut line: uploads and downloads go on', async () => {
    // More than all buffers on the way can hold.
    ({ index } = await sampleImage(at.source, 24_000_000));
    const proxy: DelayProxy = await startProxy(Number(registry.host.split(':')[1]));
    try {
      const line = { registry: `127.0.0.1:${proxy.port}`, chunkBytes: 8_000_000, attempts: 6 };
      const marks = [1_500_000, 14_700_000, 35_000_000];
      let cuts = 0;
      const cutAt = ({ allDone }: { readonly allDone: number }) => {
        if (allDone < (marks[cuts] ?? Number.POSITIVE_INFINITY)) return;
        cuts++;
        proxy.cut();
      };
      await open(line).push(at.source, index, name('team/cut'), { progress: cutAt });
      expect(cuts, 'while pushing').toBe(marks.length);
      const status = registry.asked(/^GET \/v2\/team\/cut\/blobs\/uploads\/.* 204$/);
      expect(status.length, 'asked where it was').toBeGreaterThan(0);
      cuts = 0;
      const pulled = await open(line).pull(at.target, name('team/cut'), { progress: cutAt });
      expect([cuts, pulled.root]).toEqual([marks.length, index]);

      expect(registry.asked(/^GET \/v2\/team\/cut\/blobs\/.* 206$/).length, 'only the rest').toBeGreaterThan(0);
      await expectSame(await at.store(), open(), name('team/cut'));
    } finally {
      await proxy.close();
    }
  });

  test.each([
    ['a wrong password', 'KX7103', { ...credentials('wrong') }],
    ['no password', 'KX7104', { credentials: undefined }],
    ['an unknown authority', 'KX7106', { ca: undefined }],
  ])('%s: %s', async (_, code, more) => {
    const options = { registry: registry.host, stallSeconds: 20, ca, ...credentials(), ...more };
    const client = openRegistry(withoutUndefined(options));
    try {
      expect((await failure(client.push(at.source, index, name('team/no')))).code).toBe(code);
      expect((await failure(client.pull(at.target, name('team/whole')))).code).toBe(code);
    } finally {
      client.close();
    }
  });

  test('an image that is not there', async () => {
    const error = await failure(open().pull(at.target, name('team/nothing')));
    expect([error.code, error.params['what']]).toEqual(['KX7107', 'manifest team/nothing:1']);
    expect(await open().resolve(name('team/nothing'))).toBeUndefined();
  });
});

describe('distribution 3.0.0 with tokens', () => {
  let tokens: TokenServer;

  beforeAll(async () => {
    if (program === undefined) return;
    tokens = await new TokenServer(`Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`).start();
    const jwks = join(base, 'jwks.json');
    writeFileSync(jwks, tokens.keys);
    registry = await RealRegistry.start(program, base, {
      auth: {
        token: { realm: tokens.url, service: 'registry', issuer: 'test', jwks, signingalgorithms: ['ES256'] },
      },
    });
  });
  afterAll(async () => {
    await registry?.stop();
    await tokens?.stop();
  });
  beforeEach(() => {
    if (tokens !== undefined) Object.assign(tokens, { lifetime: 300, grant: () => true, forged: false, given: 0 });
  });

  const open = (more = {}) => at.open({ registry: registry.host, stallSeconds: 20, ...credentials(), ...more });
  const name = () => parseReference(`${registry.host}/team/tool:1`);

  test('one token for pushing, one for pulling', async () => {
    const client = open();
    await client.push(at.source, index, name());
    await expectSame(at.target, client, name());
    expect(tokens.given).toBe(2);
  });

  test('a token that has run out is renewed', async () => {
    // The registry allows for clocks that differ by a minute.
    tokens.lifetime = -58;
    const client = open();
    await client.push(at.source, index, name());
    const before = tokens.given;
    tokens.lifetime = 300;
    await delay(3000);
    await client.push(at.source, index, name());
    expect(tokens.given - before).toBe(1);
  });

  test('tokens that never work, or not for this', async () => {
    tokens.grant = (action) => action !== 'push';
    expect((await failure(open().push(at.source, index, name()))).code).toBe('KX7105');
    tokens.grant = () => true;
    tokens.lifetime = -3600;
    expect((await failure(open().push(at.source, index, name()))).code).toBe('KX7113');
    tokens.lifetime = 300;
    tokens.forged = true;
    // Why, this registry does not say.
    expect((await failure(open().push(at.source, index, name()))).code).toBe('KX7105');
    tokens.forged = false;
    expect((await failure(open(credentials('wrong')).push(at.source, index, name()))).code).toBe('KX7103');
  });
});

function withoutUndefined<T extends object>(options: T): Parameters<typeof openRegistry>[0] {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as unknown as Parameters<typeof openRegistry>[0];
}
