import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Descriptor, parseReference, type TransferProgress } from '../../src/artifacts/oci/index.ts';
import { failure, sampleImage, Workshop } from './workshop.ts';

const at = new Workshop();
let index: Descriptor;

beforeEach(async () => {
  index = await at.sample(300_000);
});

const reference = () => parseReference(`${at.fake.host}/team/tool:1`);
const push = (options: Parameters<typeof at.open>[0] = {}) => at.open(options).push(at.source, index, reference());
/** In pieces that are small enough for several to be needed. */
const inPieces = { chunkBytes: 100_000 };

/** Pulls what was pushed with a client of its own. */
async function pulled(): Promise<Descriptor> {
  return (await at.open().pull(at.target, reference())).root;
}

/** Takes so much of a request's body, then cuts the connection. What came is the registry's. */
function cutAfter(count: number, when: (request: IncomingMessage, n: number) => boolean) {
  return (request: IncomingMessage, _: ServerResponse, n: number): boolean => {
    if (!when(request, n)) return false;
    let seen = 0;
    request.on('data', (chunk: Buffer) => {
      seen += chunk.length;
      if (seen >= count) request.socket.destroy();
    });
    return false;
  };
}

test('blobs at once, then manifests, then the tag', async () => {
  const seen: TransferProgress[] = [];
  const digest = await at.open().push(at.source, index, reference(), { progress: (one) => seen.push(one) });
  expect(digest).toBe(index.digest);
  const order = at.fake.seen
    .filter(({ method }) => method === 'PUT')
    .map(({ path }) => path.replace(/\?.*|\/sha256:.*/, ''));
  expect(order.slice(-3)).toEqual(['/v2/team/tool/manifests', '/v2/team/tool/manifests', '/v2/team/tool/manifests/1']);
  expect(order.slice(0, -3).every((path) => path.includes('/uploads/'))).toBe(true);
  expect(at.fake.calls('PATCH', '')).toEqual([]);
  expect(seen.at(-1)?.allDone).toBe(seen.at(-1)?.allSize);
  expect(await pulled()).toEqual(index);
});

test('what the registry has is not sent again', async () => {
  await push();
  at.fake.seen.length = 0;
  await push();
  expect(at.fake.calls('POST', '')).toEqual([]);
});

test.each([true, false])('blobs of another repository are mounted where the registry can: %s', async (mounts) => {
  await push();
  at.fake.mounts = mounts;
  at.fake.seen.length = 0;
  at.fake.fault = (request, response) => {
    // This registry keeps blobs per repository.
    if (request.method !== 'HEAD') return false;
    response.writeHead(404).end();
    return true;
  };
  const other = parseReference(`${at.fake.host}/team/other:1`);
  await at.open().push(at.source, index, other, { mountFrom: 'team/tool' });
  expect(at.fake.calls('POST', 'from=team%2Ftool')).toHaveLength(5);
  expect(at.fake.calls('PUT', '/uploads/')).toHaveLength(mounts ? 0 : 5);
});

test('a large blob goes in pieces', async () => {
  await push(inPieces);
  const ranges = at.fake.calls('PATCH', '').map(({ headers }) => headers['content-range']);
  expect(ranges.slice().sort()).toContain('0-99999');
  expect(ranges.length).toBeGreaterThanOrEqual(8);
  expect(await pulled()).toEqual(index);
});

describe('an upload that is disturbed', () => {
  test('goes on in the middle of a piece where the registry is', async () => {
    let cuts = 0;
    at.fake.fault = cutAfter(30_000, (request) => {
      const wanted = request.method === 'PATCH' && String(request.headers['content-range']).startsWith('100000-');
      return wanted && cuts++ < 2;
    });
    await push({ ...inPieces, parallel: 1 });
    const starts = at.fake
      .calls('PATCH', '')
      .map(({ headers }) => Number(String(headers['content-range']).split('-')[0]));
    const odd = starts.filter((start) => start % 100_000 !== 0);
    expect(odd.length, 'pieces that begin in the middle of one').toBeGreaterThan(0);
    expect(
      starts.filter((start) => start === 0),
      'none was sent from the start again',
    ).toHaveLength(2);
    expect(await pulled()).toEqual(index);
  });

  test('goes at once again when it went at once', async () => {
    let cuts = 0;
    at.fake.fault = cutAfter(30_000, (request) => {
      const large = Number(request.headers['content-length'] ?? 0) > 100_000;
      return request.method === 'PUT' && large && cuts++ < 1;
    });
    await push();
    expect(await pulled()).toEqual(index);
  });

  test('starts over where the registry has forgotten it', async () => {
    let forgotten = 0;
    at.fake.fault = (request, response) => {
      if (!String(request.headers['content-range'] ?? '').startsWith('100000-') || forgotten++ > 0) return false;
      request.resume();
      response.writeHead(503).end();
      at.fake.fault = (status, answer) => {
        if (status.method !== 'GET' || !(status.url ?? '').includes('/uploads/')) return false;
        answer.writeHead(404).end();
        at.fake.fault = () => false;
        return true;
      };
      return true;
    };
    await push({ ...inPieces, parallel: 1 });
    expect(forgotten).toBe(1);
    expect(await pulled()).toEqual(index);
  });

  test('is done where only the answer was lost', async () => {
    let lost = 0;
    at.fake.fault = (request, response) => {
      if (request.method === 'PUT' && (request.url ?? '').includes('/uploads/') && lost++ === 0) {
        // The registry does its work, but its answer does not arrive.
        response.writeHead = () => {
          request.socket.destroy();
          return response;
        };
      }
      return false;
    };
    await push();
    expect(lost).toBe(5);
    expect(await pulled()).toEqual(index);
  });

  test.each([
    ['500', 500],
    ['429', 429],
  ])('%s, then it works', async (_, code) => {
    const met = new Set<string>();
    at.fake.fault = (request, response) => {
      const key = `${request.method} ${(request.url ?? '').replace(/\/uploads\/[^?]+.*/, '/uploads/')}`;
      if (met.has(key)) return false;
      met.add(key);
      request.resume();
      response.writeHead(code, { 'retry-after': '0' }).end();
      return true;
    };
    await push({ ...inPieces, attempts: 8 });
    at.fake.fault = () => false;
    expect(await pulled()).toEqual(index);
  });

  test.each([
    ['a registry that never takes anything', 'KX7102', () => true],
    [
      'a registry that is full',
      'KX7110',
      (_: IncomingMessage, response: ServerResponse) => response.writeHead(507).end() !== undefined,
    ],
    [
      'an upload that leads nowhere',
      'KX7111',
      (_: IncomingMessage, response: ServerResponse) => response.writeHead(202).end() !== undefined,
    ],
    [
      'a read-only registry',
      'KX7110',
      (_: IncomingMessage, response: ServerResponse) =>
        response.writeHead(405).end('{"errors":[{"code":"UNSUPPORTED","message":"read only"}]}') !== undefined,
    ],
  ])('%s: %s', async (what, code, behave) => {
    at.fake.fault = (request, response) => request.method === 'POST' && behave(request, response);
    const error = await failure(push(what.includes('never') ? { stallSeconds: 0.3 } : {}));
    expect(error.code).toBe(code);
    if (code === 'KX7110' && error.params['status'] === 405) expect(error.detail).toBe('UNSUPPORTED: read only');
    expect(at.fake.manifests.size, 'no manifest without its blobs').toBe(0);
  });

  test('a registry that answers before it has everything', async () => {
    ({ index } = await sampleImage(at.source, 8_000_000, { compression: 'none' }));
    at.fake.fault = (request, response) => {
      if (request.method !== 'PUT' || !(request.url ?? '').includes('/uploads/')) return false;
      response.writeHead(413).end('{"errors":[{"code":"SIZE_INVALID","message":"too large"}]}');
      return true;
    };
    const error = await failure(push());
    expect([error.code, error.params['status'], error.detail]).toEqual(['KX7110', 413, 'SIZE_INVALID: too large']);
  });

  test('a registry that is always at another place', async () => {
    at.fake.fault = (request, response) => {
      if (request.method !== 'PATCH') return false;
      request.resume();
      response.writeHead(416).end();
      return true;
    };
    expect((await failure(push(inPieces))).code).toBe('KX7111');
  });

  test('a blob that is damaged here is not sent', async () => {
    await push();
    const { contents } = await at.open().pull(at.target, reference());
    await at.source.remove(contents.blobs[0]!.digest);
    expect((await failure(push())).code).toBe('KX7120');
  });

  test('stopping is quick', async () => {
    at.fake.fault = (request) => request.method === 'PUT';
    const stop = new AbortController();
    const work = at.open({ stallSeconds: 60 }).push(at.source, index, reference(), { signal: stop.signal });
    while (at.fake.calls('PUT', '').length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const before = Date.now();
    stop.abort();
    await expect(work).rejects.toMatchObject({ name: 'AbortError' });
    expect(Date.now() - before).toBeLessThan(5000);
  });
});
