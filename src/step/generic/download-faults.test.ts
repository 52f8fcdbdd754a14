import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { content, Downloading, digest, other, sha256 } from '../../../test/support/downloading.ts';
import { cut, serve } from '../../../test/support/fault-server.ts';
import { download } from './download.ts';

const at = new Downloading();

describe('faults', () => {
  test('500, then 200', async () => {
    const good = serve(content);
    const url = at.server.on('/f', (request, response, n) =>
      n < 2 ? void response.writeHead(500).end() : good(request, response, n),
    );
    expect(await at.get([url])).toMatchObject({ sha256 });
    expect(at.server.count('/f')).toBe(3);
  });

  test.each([400, 401, 403, 404, 410])('%d is not asked again', async (status) => {
    const url = at.server.on('/f', (_request, response) => void response.writeHead(status).end());
    expect(await at.failure(at.get([url]))).toContain(`status ${status}`);
    expect(at.server.count('/f')).toBe(1);
  });

  test('Retry-After is obeyed', async () => {
    const good = serve(content);
    const url = at.server.on('/f', (request, response, n) =>
      n === 0 ? void response.writeHead(429, { 'retry-after': '1' }).end() : good(request, response, n),
    );
    const started = performance.now();
    await at.get([url]);
    expect(performance.now() - started).toBeGreaterThan(950);
  });

  test('a stall, then the rest', async () => {
    const good = serve(content);
    const url = at.server.on('/f', (request, response, n) => {
      if (n > 0) return good(request, response, n);
      response.writeHead(200, { 'content-length': content.length, etag: '"v1"' });
      response.write(content.subarray(0, 70_000));
    });
    expect(await at.get([url])).toMatchObject({ sha256 });
    expect(at.server.requests[1]).toMatchObject({ range: 'bytes=70000-', ifRange: '"v1"' });
  });

  test('a at.server that never answers', async () => {
    const url = at.server.on('/f', () => undefined);
    expect(await at.failure(at.get([url], { attempts: 2 }))).toContain('no answer within 0.3 s');
    expect(at.server.count('/f')).toBe(2);
  });

  test('a at.server that takes the connection and says nothing', async () => {
    const mute = createTcp(() => undefined);
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const detail = await at.failure(
      at.get([`http://127.0.0.1:${(mute.address() as AddressInfo).port}/`], { attempts: 1 }),
    );
    expect(detail).toContain('no answer within');
    mute.close();
  });

  test('cut again and again, each time a little further', async () => {
    const url = at.server.on('/f', (request, response) => {
      const from = Number(/[0-9]+/.exec(request.headers.range ?? '0')?.[0]);
      const range = { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` };
      response.writeHead(from === 0 ? 200 : 206, {
        'content-length': content.length - from,
        etag: '"v1"',
        ...(from === 0 ? {} : range),
      });
      response.write(content.subarray(from, from + 50_000), () => response.socket?.end());
    });
    expect(await at.get([url], { attempts: 4 })).toMatchObject({ sha256 });
    expect(at.server.requests.map((request) => request.range)).toEqual([
      undefined,
      'bytes=50000-',
      'bytes=100000-',
      'bytes=150000-',
    ]);
  });

  test('a length that is a lie: longer than what comes', async () => {
    const url = at.server.on('/f', (_request, response) => {
      response.writeHead(200, { 'content-length': content.length + 10, connection: 'close' });
      response.write(content, () => response.socket?.end());
    });
    expect(await at.failure(at.get([url], { attempts: 2 }))).toMatch(/aborted|ended after/);
  });

  test('a length that is a lie: shorter than what comes', async () => {
    const liar = createTcp((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () =>
        socket.end(
          Buffer.concat([
            Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${content.length - 10}\r\nconnection: close\r\n\r\n`),
            content,
          ]),
        ),
      );
    });
    await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(liar.address() as AddressInfo).port}/f`;
    expect(await at.failure(at.get([url], { sha256, attempts: 1 }))).toMatch(/sha256 is|Parse Error/);
    expect(await at.failure(at.get([url], { bytes: content.length, attempts: 1 }))).toContain('expected are 200000');
    liar.close();
  });

  test('no length at all, and no checksum', async () => {
    const vague = createTcp((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(Buffer.concat([Buffer.from('HTTP/1.0 200 OK\r\n\r\n'), content])));
    });
    await new Promise<void>((resolve) => vague.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(vague.address() as AddressInfo).port}/f`;
    expect(await at.failure(at.get([url]))).toContain('does not say how long');
    expect(await at.get([url], { sha256 })).toMatchObject({ sha256 });
    vague.close();
  });

  test('another size than expected', async () => {
    expect(await at.failure(at.get([at.server.on('/f', serve(content))], { bytes: 5 }))).toContain(
      'has 200000 bytes, expected are 5',
    );
  });

  test('packed although nobody asked', async () => {
    const url = at.server.on(
      '/f',
      (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    );
    expect(await at.failure(at.get([url]))).toContain('packs the file as gzip');
  });

  test.each<[string, string, string]>([
    ['in a circle', '/f', 'more than 10 redirects'],
    ['to nowhere', 'http://:::', 'leads nowhere'],
    ['to a file', 'file:///etc/hostname', 'a redirect to file:'],
  ])('redirects %s', async (_name, location, message) => {
    const url = at.server.on('/f', (_request, response) => void response.writeHead(302, { location }).end());
    expect(await at.failure(at.get([url]))).toContain(message);
    expect(at.server.count('/f')).toBeLessThan(12);
  });

  test('a directory in its place', async () => {
    const url = at.server.on('/f', serve(content));
    at.path = mkdtempSync(join(at.base, 'dir-'));
    await expect(at.get([url])).rejects.toThrow();
  });
});

describe('resume', () => {
  async function begun(): Promise<string> {
    const url = at.server.on('/f', cut(content, 80_000));
    await at.failure(at.get([url], { attempts: 1 }));
    expect(statSync(`${at.path}.part`).size).toBe(80_000);
    return url;
  }

  test('a later run goes on where this one ended', async () => {
    const url = await begun();
    at.server.on('/f', serve(content));
    expect(await at.get([url])).toMatchObject({ sha256 });
    expect(at.server.requests.at(-1)).toMatchObject({ range: 'bytes=80000-', ifRange: '"v1"' });
    expect(readdirSync(join(at.path, '..')).sort()).toEqual(['file', 'file.kubexm.json']);
  });

  test('a file that has changed meanwhile is downloaded again', async () => {
    const url = await begun();
    at.server.on('/f', serve(other, '"v2"'));
    expect(await at.get([url])).toMatchObject({ sha256: digest(other) });
  });

  test('a part of another file is found out by the digest, and thrown away', async () => {
    const url = await begun();
    writeFileSync(`${at.path}.part`, Buffer.alloc(80_000, 9));
    at.server.on('/f', serve(content));
    expect(await at.get([url], { sha256 })).toMatchObject({ sha256 });
    expect(at.server.requests.at(-1)?.range).toBeUndefined();
  });

  test('a part longer than the file', async () => {
    const url = await begun();
    writeFileSync(`${at.path}.part`, Buffer.alloc(300_000));
    at.server.on('/f', serve(content));
    expect(await at.get([url])).toMatchObject({ sha256 });
  });

  test('a at.server that gives another range than was asked for', async () => {
    const url = await begun();
    const good = serve(content);
    at.server.on('/f', (request, response, n) => {
      if (request.headers.range === undefined) return good(request, response, n);
      response.writeHead(206, { 'content-range': `bytes 0-9/${content.length}`, 'content-length': 10 });
      response.end(content.subarray(0, 10));
    });
    expect(await at.get([url])).toMatchObject({ sha256 });
  });

  test('a weak validator is none', async () => {
    const url = at.server.on('/f', cut(content, 80_000, 'W/"v1"'));
    await at.failure(at.get([url], { attempts: 1 }));
    at.server.on('/f', serve(content));
    await at.get([url]);
    expect(at.server.requests.at(-1)?.range).toBeUndefined();
  });
});

describe('stopping', () => {
  test('the run stops it at once, and what came stays', async () => {
    const stop = new AbortController();
    const url = at.server.on('/f', (_request, response) => {
      response.writeHead(200, { 'content-length': content.length, etag: '"v1"' });
      response.write(content.subarray(0, 60_000));
      setTimeout(() => stop.abort(), 100);
    });
    const started = performance.now();
    await expect(
      download.definition.apply(at.local, { urls: [url, url], path: at.path, stallSeconds: 30 }, at.io(stop.signal)),
    ).rejects.toThrow();
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(at.server.count('/f')).toBe(1);
    expect(statSync(`${at.path}.part`).size).toBe(60_000);
  });

  test('its own time limit', async () => {
    const url = at.server.on('/f', () => undefined);
    await expect(at.get([url], { timeoutSeconds: 0.2, stallSeconds: 30 })).rejects.toThrow(/timeout/i);
  });
});
