import { createServer as createTcp } from 'node:net';
import { expect, test } from 'vitest';
import { upstream } from '../../src/artifacts/sources/index.ts';
import { noise } from '../oci/workshop.ts';
import { type Behaviour, cut, serve } from '../support/fault-server.ts';
import { failure, fileNeed, filesJob, hasty, hex, quick, SourceWorld } from './source-world.ts';

const at = new SourceWorld();
const content = noise(300_000, 1);
const other = noise(300_000, 2);
const good = serve(content);

/** A job for `/f`, which behaves as requested; its checksum is right. */
function job(behaviour: Behaviour) {
  const need = at.publish('/f', content);
  at.server.on('/f', behaviour);
  return filesJob(need);
}

async function expectGot(behaviour: Behaviour, options = quick): Promise<void> {
  const got = await upstream(options).get(job(behaviour), at.store, at.io());
  expect([...got.values()]).toEqual([{ sha256: hex(content), size: content.length, vouched: 'upstream' }]);
  expect(await at.expectSound()).toEqual([hex(content)]);
  expect(at.arriving()).toEqual([]);
}

async function expectFailure(behaviour: Behaviour, options = quick) {
  const error = await failure(upstream(options).get(job(behaviour), at.store, at.io()));
  expect(await at.expectSound()).toEqual([]);
  return error;
}

test('500, then 200', async () => {
  await expectGot((request, response, n) =>
    n === 0 ? void response.writeHead(500).end() : good(request, response, n),
  );
  expect(at.server.count('/f')).toBe(2);
});

/** A server counts as stalled soon. */
const stalls = { ...quick, stallSeconds: 0.4 };

test('a stall, then the rest', async () => {
  await expectGot((request, response, n) => {
    if (n > 0) return good(request, response, n);
    response.writeHead(200, { 'content-length': content.length });
    response.write(content.subarray(0, 70_000));
  }, stalls);
  expect(at.server.requests.at(-1)?.range).toBe('bytes=70000-');
});

test('a stall for good: an error in time, and what came is there for the next try', async () => {
  const started = performance.now();
  const error = await expectFailure((_request, response) => {
    response.writeHead(200, { 'content-length': content.length });
    response.write(content.subarray(0, 70_000));
  }, stalls);
  expect(performance.now() - started).toBeLessThan(5000);
  expect(error).toMatchObject({ code: 'KX7072', params: { reason: 'no byte for 0.4 s' } });
  expect(error.detail?.split('\n')).toHaveLength(3);
  await expectGot(good);
  expect(at.server.requests.at(-1)?.range).toBe('bytes=70000-');
});

test('closed early, then the rest', async () => {
  await expectGot((request, response, n) =>
    n === 0 ? cut(content, 120_000)(request, response, n) : good(request, response, n),
  );
  expect(at.server.requests.at(-1)?.range).toBe('bytes=120000-');
});

test('a length that is a lie', async () => {
  // Longer than what comes: the bytes are all there, as their digest says.
  await expectGot((_request, response) => {
    response.writeHead(200, { 'content-length': content.length + 10, connection: 'close' });
    response.write(content, () => response.socket?.end());
  });
  // And longer than a file that is cut.
  const cutShort = await failure(
    upstream(quick).get(
      job((request, response) => {
        if (request.headers.range !== undefined) return void response.writeHead(416).end();
        response.writeHead(200, { 'content-length': content.length + 10, connection: 'close' });
        response.write(content.subarray(0, 200_000), () => response.socket?.end());
      }),
      await at.newStore(),
      at.io(),
    ),
  );
  expect(cutShort.code).toBe('KX7072');
  const shorter = await failure(
    upstream({ ...quick, attempts: 1 }).get(
      job((_request, response) => {
        response.socket?.end(
          Buffer.concat([
            Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${content.length - 10}\r\nconnection: close\r\n\r\n`),
            content,
          ]),
        );
      }),
      await at.newStore(),
      at.io(),
    ),
  );
  expect(['KX7072', 'KX7073']).toContain(shorter.code);
});

test('other content', async () => {
  const error = await expectFailure(serve(other));
  expect(error).toMatchObject({ code: 'KX7073', params: { got: `sha256:${hex(other)}` } });
  expect(at.server.count('/f')).toBe(1);
});

test('half of it of another file: found out, and fetched from its beginning', async () => {
  await expectFailure(cut(other, 100_000));
  await expectGot(good);
  expect(at.server.requests.map(({ range }) => range)).toContain('bytes=100000-');
});

test('a page instead of a checksum', async () => {
  const url = at.server.on('/f', good);
  at.server.on('/f.sha256', serve(Buffer.from('<html>login</html>')));
  const need = fileNeed(url, { checksum: { url: `${url}.sha256`, mirrors: [], form: 'digest' } });
  expect(await failure(upstream(quick).get(filesJob(need), at.store, at.io()))).toMatchObject({
    code: 'KX7080',
    params: { reason: 'no sha256 or sha512 of f in it' },
  });
});

test('redirects in circles, and to nowhere', async () => {
  const circle = await expectFailure((_request, response) => void response.writeHead(302, { location: '/f' }).end());
  expect(circle).toMatchObject({ code: 'KX7072', params: { reason: 'more than 10 redirects' } });
  const nowhere = await expectFailure(
    (_request, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  );
  expect(nowhere).toMatchObject({ code: 'KX7072', params: { reason: 'a redirect to file:' } });
});

test('404 is asked once', async () => {
  const error = await expectFailure((_request, response) => void response.writeHead(404).end());
  expect(error).toMatchObject({ code: 'KX7072', params: { file: 'f', reason: 'status 404 Not Found' } });
  expect(at.server.count('/f')).toBe(1);
});

test('a part longer than the file', async () => {
  await expectFailure(cut(Buffer.concat([content, content]), 400_000));
  await expectGot(good);
});

test('stopped: at once, and what came stays', async () => {
  const stop = new AbortController();
  const running = upstream({ ...quick, stallSeconds: 30 }).get(
    job((_request, response) => {
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, 60_000));
      setTimeout(() => stop.abort(), 100);
    }),
    at.store,
    at.io({ signal: stop.signal }),
  );
  const started = performance.now();
  await expect(running).rejects.toThrow(/abort/i);
  expect(performance.now() - started).toBeLessThan(20_000);
  await expectGot(good);
  expect(at.server.requests.at(-1)?.range).toBe('bytes=60000-');
});

test('one file that fails stops the others', async () => {
  const slow = at.publish('/slow', other);
  at.server.on('/slow', (_request, response) => {
    response.writeHead(200, { 'content-length': other.length });
    response.write(other.subarray(0, 10));
  });
  const missing = at.publish('/missing', content);
  at.server.on('/missing', (_request, response) => void response.writeHead(410).end());
  const started = performance.now();
  const error = await failure(upstream({ ...quick, stallSeconds: 30 }).get(filesJob(slow, missing), at.store, at.io()));
  expect(error.params['reason']).toBe('status 410 Gone');
  expect(performance.now() - started).toBeLessThan(20_000);
});

test('a server that says nothing at all is no server', async () => {
  const mute = createTcp(() => undefined);
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const { port } = mute.address() as { port: number };
  const error = await failure(upstream(hasty).get(filesJob(fileNeed(`http://127.0.0.1:${port}/f`)), at.store, at.io()));
  expect(error.message).toBe(`127.0.0.1:${port} does not answer within 0.5 s: nothing came`);
  mute.close();
});
