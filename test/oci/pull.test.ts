import { chmodSync, truncateSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Descriptor, parseReference, type TransferProgress } from '../../src/artifacts/oci/index.ts';
import type { FakeRegistry, Fault } from './fake-registry.ts';
import { arriving, failure, sampleImage, Workshop } from './workshop.ts';

const at = new Workshop();
const amd64 = { os: 'linux', architecture: 'amd64' };
let index: Descriptor;
/** The blob that all faults are about. */
let big: Descriptor;
let bytes: Buffer;

const reference = (fake = at.fake) => parseReference(`${fake.host}/team/tool:1`);
const pull = (options: Parameters<typeof at.open>[0] = {}) =>
  at.open(options).pull(at.target, reference(), { platforms: [amd64] });

/** What every registry here has: pushed once, and looked at. */
let full: FakeRegistry;
beforeAll(async () => {
  const { fake, target, open } = await at.another();
  const source = await at.store();
  ({ index } = await sampleImage(source, 300_000));
  await open().push(source, index, reference(fake));
  const { contents } = await open().pull(target, reference(fake), { platforms: [amd64] });
  big = contents.blobs.reduce((a, b) => (a.size > b.size ? a : b));
  bytes = fake.blobs.get(big.digest)!;
  full = fake;
});
beforeEach(() => at.fake.holdSameAs(full));

/** Counts only what is asked for of the blob. */
function onBlob(behave: (response: ServerResponse, n: number, range: string | undefined) => boolean): Fault {
  let n = 0;
  return (request, response) => {
    if (request.method !== 'GET' || !(request.url ?? '').includes(big.digest)) return false;
    return behave(response, n++, request.headers.range);
  };
}
const blobCalls = (fake = at.fake) => fake.calls('GET', big.digest);
const status =
  (code: number, headers = {}) =>
  (response: ServerResponse) => {
    response.writeHead(code, headers).end('<html>secret page</html>');
    return true;
  };

test('an index with all platforms, then again without fetching a blob', async () => {
  const seen: TransferProgress[] = [];
  const registry = at.open();
  const first = await registry.pull(at.target, reference(), { progress: (one) => seen.push(one) });
  expect(first.root).toEqual(index);
  expect(first.contents.images).toHaveLength(2);
  for (const { digest } of [...first.contents.manifests, ...first.contents.blobs]) {
    expect(await at.target.verify(digest)).toBe(true);
  }
  const total = first.contents.blobs.reduce((sum, { size }) => sum + size, 0);
  expect(seen.at(-1)).toMatchObject({ allDone: total, allSize: total });
  at.fake.seen.length = 0;
  await registry.pull(at.target, reference());
  expect(at.fake.seen.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v2/team/tool/manifests/1']);
  expect(arriving(at.target)).toEqual([]);
});

test('only the platform that is asked for, by digest too', async () => {
  const { contents, root } = await at
    .open()
    .pull(at.target, { ...reference(), digest: index.digest }, { platforms: [amd64] });
  expect([root, contents.images.length, contents.blobs.length]).toEqual([index, 1, 3]);
  const missing = at.open().pull(at.target, reference(), { platforms: [{ os: 'linux', architecture: 's390x' }] });
  expect((await failure(missing)).params).toMatchObject({
    platform: 'linux/s390x',
    found: expect.stringContaining('linux/arm64') as string,
  });
});

test('a damaged blob in the store is fetched again', async () => {
  await pull();
  chmodSync(at.target.path(big.digest), 0o644);
  truncateSync(at.target.path(big.digest), 10);
  at.fake.seen.length = 0;
  await pull();
  expect(blobCalls()).toHaveLength(1);
  expect(await at.target.verify(big.digest)).toBe(true);
});

test('resolve says what a tag stands for, also where the registry does not', async () => {
  const registry = at.open();
  expect(await registry.resolve(reference())).toBe(index.digest);
  expect(await registry.resolve({ ...reference(), tag: 'none' })).toBeUndefined();
  at.fake.fault = (request, response) => {
    if (request.method !== 'HEAD') return false;
    response.writeHead(200).end();
    return true;
  };
  expect(await registry.resolve(reference())).toBe(index.digest);
});

describe('what passes is tried again', () => {
  test.each<readonly [string, (response: ServerResponse) => boolean]>([
    ['500', status(500)],
    ['503', status(503)],
    ['429, after what it asks for', status(429, { 'retry-after': '0' })],
    ['a closed connection', (response) => response.socket?.destroy() !== undefined],
  ])('%s, then the blob', async (_, behave) => {
    at.fake.fault = onBlob((response, n) => n === 0 && behave(response));
    await pull();
    expect(blobCalls()).toHaveLength(2);
    expect(await at.target.verify(big.digest)).toBe(true);
  });

  test('a blob that is cut half-way comes on from there', async () => {
    at.fake.fault = onBlob((response, n) => {
      if (n > 0) return false;
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, 100_000), () => response.socket?.end());
      return true;
    });
    await pull();
    expect(blobCalls().map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=100000-']);
    expect(await at.target.verify(big.digest)).toBe(true);
  });

  test('another process goes on where this one was', async () => {
    at.fake.fault = onBlob((response) => {
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, 100_000), () => response.socket?.end());
      return true;
    });
    await failure(pull({ attempts: 1 }));
    expect(arriving(at.target)).toEqual([`${big.digest.replace(':', '-')}.part`]);
    at.fake.fault = () => false;
    at.fake.seen.length = 0;
    await pull();
    expect(blobCalls().map(({ headers }) => headers.range)).toEqual(['bytes=100000-']);
  });

  test('a registry that knows no ranges sends it all again', async () => {
    at.fake.fault = onBlob((response, n) => {
      response.writeHead(200, { 'content-length': bytes.length });
      if (n > 0) response.end(bytes);
      else response.write(bytes.subarray(0, 50_000), () => response.socket?.end());
      return true;
    });
    await pull();
    expect(await at.target.verify(big.digest)).toBe(true);
  });

  test('half of another content is thrown away', async () => {
    at.fake.fault = onBlob((response, n) => {
      if (n > 0) return false;
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(Buffer.alloc(50_000, 1), () => response.socket?.end());
      return true;
    });
    await pull();
    expect(blobCalls().map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=50000-', undefined]);
    expect(await at.target.verify(big.digest)).toBe(true);
  });
});

describe('what is not valid is reported', () => {
  const blobFaults: readonly (readonly [string, string, number, (response: ServerResponse) => boolean])[] = [
    ['always 500', 'KX7110', 3, status(500)],
    ['always 429', 'KX7109', 3, status(429)],
    ['429 until tomorrow', 'KX7109', 1, status(429, { 'retry-after': '86400' })],
    ['always cut', 'KX7102', 3, (response) => response.socket?.destroy() !== undefined],
    ['403', 'KX7105', 1, status(403)],
    ['404', 'KX7107', 1, status(404)],
    ['a teapot', 'KX7110', 1, status(418)],
    [
      'other content',
      'KX7108',
      1,
      (response) => {
        response.writeHead(200, { 'content-length': bytes.length }).end(Buffer.alloc(bytes.length, 1));
        return true;
      },
    ],
    [
      'a wrong length',
      'KX7108',
      1,
      (response) => {
        response.writeHead(200, { 'content-length': 7 }).end('1234567');
        return true;
      },
    ],
    [
      'more than there should be, without a length',
      'KX7108',
      1,
      (response) => {
        response.writeHead(200);
        response.end(Buffer.concat([bytes, Buffer.from('x')]));
        return true;
      },
    ],
    [
      'a redirect in circles',
      'KX7111',
      1,
      (response) => response.writeHead(307, { location: `/v2/team/tool/blobs/${big.digest}` }).end() !== undefined,
    ],
    ['a redirect to nowhere', 'KX7111', 1, status(302)],
    ['a redirect to a file', 'KX7111', 1, status(302, { location: 'file:///etc/passwd' })],
  ];
  test.each(blobFaults)('%s: %s', async (what, code, tries, behave) => {
    at.fake.fault = onBlob(behave);
    const error = await failure(pull());
    expect(error.code).toBe(code);
    expect(error.detail ?? '').not.toContain('html');
    if (what !== 'a redirect in circles') expect(blobCalls()).toHaveLength(tries);
    expect(await at.target.sizeOf(big.digest)).toBeUndefined();
  });

  test('a manifest that is not the one that was asked for', async () => {
    at.fake.fault = (request, response) => {
      if (!(request.url ?? '').includes('/manifests/')) return false;
      response.writeHead(200, { 'docker-content-digest': index.digest }).end('{"schemaVersion":2,"manifests":[]}');
      return true;
    };
    expect((await failure(pull())).code).toBe('KX7108');
    const byDigest = at.open().pull(at.target, { ...reference(), digest: index.digest });
    expect((await failure(byDigest)).code).toBe('KX7108');
  });

  test.each([
    ['not JSON', '<html>'],
    ['schema 1', '{"schemaVersion":1,"name":"team/tool"}'],
    ['no descriptors', '{"schemaVersion":2,"config":{"digest":"sha256:../../etc/passwd"},"layers":[]}'],
    ['an artifact of another kind', '{"schemaVersion":2,"mediaType":"application/x","layers":[]}'],
  ])('a manifest that is %s', async (_, text) => {
    at.fake.fault = (request, response) => {
      if (!(request.url ?? '').includes('/manifests/')) return false;
      response.writeHead(200).end(text);
      return true;
    };
    expect((await failure(pull())).code).toBe('KX7125');
  });

  test('a manifest without an end is not read to it', async () => {
    at.fake.fault = (request, response) => {
      if (!(request.url ?? '').includes('/manifests/')) return false;
      response.writeHead(200);
      const more = () => void (response.destroyed || response.write(Buffer.alloc(1 << 20, 32), more));
      more();
      return true;
    };
    expect((await failure(pull())).message).toContain('longer than');
  });

  test('nobody there', async () => {
    await at.fake.stop();
    const error = await failure(pull({ attempts: 2 }));
    expect([error.code, error.detail?.split('\n').length]).toEqual(['KX7102', 2]);
  });
});

// These wait, so they do it at the same time, each with a registry and a store of its own. Where the registry is to speak again
// they wait a second: a busy machine is slow too.
describe.concurrent('a registry that goes silent', () => {
  const silent = async (fault: Fault, stallSeconds = 1) => {
    const { fake, target, open } = await at.another();
    fake.holdSameAs(full);
    fake.fault = fault;
    const work = open({ stallSeconds }).pull(target, reference(fake), { platforms: [amd64] });
    return { work, target, calls: () => blobCalls(fake) };
  };

  test('silence, then the blob', async () => {
    const { work, target, calls } = await silent(onBlob((_, n) => n === 0));
    await work;
    expect(calls()).toHaveLength(2);
    expect(await target.verify(big.digest)).toBe(true);
  });

  test('a blob that is stalled half-way comes on from there', async () => {
    const fault = onBlob((response, n) => {
      if (n > 0) return false;
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, 100_000));
      return true;
    });
    const { work, target, calls } = await silent(fault);
    await work;
    expect(calls().map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=100000-']);
    expect(await target.verify(big.digest)).toBe(true);
  });

  test('always silent', async () => {
    const { work, target, calls } = await silent(
      onBlob(() => true),
      0.5,
    );
    expect((await failure(work)).code).toBe('KX7102');
    expect(calls()).toHaveLength(3);
    expect(await target.sizeOf(big.digest)).toBeUndefined();
  });
});

test('stopping is quick', async () => {
  at.fake.fault = onBlob((response) => {
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, 1000));
    return true;
  });
  const stop = new AbortController();
  const work = at.open({ stallSeconds: 60 }).pull(at.target, reference(), { signal: stop.signal });
  while (blobCalls().length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  const before = Date.now();
  stop.abort();
  await expect(work).rejects.toMatchObject({ name: 'AbortError' });
  expect(Date.now() - before).toBeLessThan(5000);
});

test('the first blob that fails stops the others', async () => {
  at.fake.fault = (request, response) => {
    if (!(request.url ?? '').includes('/blobs/')) return false;
    if ((request.url ?? '').includes(big.digest)) response.writeHead(404).end();
    // All others never end.
    else response.writeHead(200).write('x');
    return true;
  };
  const before = Date.now();
  expect((await failure(pull({ stallSeconds: 60, attempts: 1 }))).code).toBe('KX7107');
  expect(Date.now() - before).toBeLessThan(5000);
});

test('two clients that pull the same at once fetch each blob once', async () => {
  await Promise.all([pull(), pull(), pull()]);
  expect(blobCalls()).toHaveLength(1);
});
