import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttp, request as httpRequest, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect, createServer as createTcp, type Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cut, FaultServer, serve } from '../../../test/support/fault-server.ts';
import { absent, bytes, seen } from '../../../test/support/seen.ts';
import { KubexmError } from '../../model/errors/index.ts';
import { type Host, output } from '../../model/host.ts';
import type { StepIo } from '../../plan/step.ts';
import { type Download, download } from './download.ts';
import { downloadFile } from './lib/http/download.ts';

const content = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7919) % 251));
const other = Buffer.from(content).fill(1, 150_000);
const sha256 = digest(content);
const base = mkdtempSync(join(tmpdir(), 'kubexm-download-'));
/** Makes directories, as the local machine does when it is told to. */
const local = {
  name: 'local',
  run: async () => {
    mkdirSync(join(path, '..'), { recursive: true });
    return output(0);
  },
} as unknown as Host;

let server: FaultServer;
let path = '';
let progress: [number, number | undefined][] = [];
let redacted: string[] = [];

function digest(data: Uint8Array, algorithm = 'sha256'): string {
  return createHash(algorithm).update(data).digest('hex');
}

function io(signal = new AbortController().signal): StepIo {
  return {
    signal,
    progress: (done, total) => void progress.push([done, total]),
    say: () => undefined,
    ask: async () => '',
    redact: (secret) => void redacted.push(secret),
  };
}

/** Downloads with no patience at all. */
async function get(urls: readonly string[], more: Partial<Download> = {}): Promise<unknown> {
  return await download.definition.apply(local, { urls, path, delaySeconds: 0.01, stallSeconds: 0.3, ...more }, io());
}

async function failure(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('it should have failed'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(KubexmError);
  expect((error as KubexmError).code).toBe('KX5001');
  expect(existsSync(path), 'nothing under its name').toBe(false);
  return (error as KubexmError).detail ?? '';
}

beforeEach(async () => {
  server = await new FaultServer().start();
  path = join(mkdtempSync(join(base, 'd-')), 'sub dir', 'file');
  progress = [];
  redacted = [];
});
afterEach(async () => await server.stop());
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('a good server', () => {
  test('the file comes whole, with nothing beside it', async () => {
    const url = server.on('/f', serve(content));
    expect(await get([url], { sha256 })).toEqual({ path, sha256, bytes: content.length });
    expect(readFileSync(path).equals(content)).toBe(true);
    expect(readdirSync(join(path, '..'))).toEqual(['file']);
    expect(statSync(path).mode & 0o777).toBe(0o644);
    expect(progress.at(-1)).toEqual([content.length, content.length]);
  });

  test('an empty file', async () => {
    expect(await get([server.on('/f', serve(Buffer.alloc(0)))])).toMatchObject({ bytes: 0 });
  });

  test('chunked, without a length', async () => {
    const url = server.on('/f', (_request, response) => void response.end(content));
    expect(await get([url])).toMatchObject({ sha256 });
  });

  test('redirects, to another address too', async () => {
    const there = server.on('/there', serve(content));
    server.on('/two', (_request, response) => void response.writeHead(307, { location: there }).end());
    const url = server.on('/one', (_request, response) => void response.writeHead(302, { location: 'two' }).end());
    expect(await get([url], { sha256 })).toMatchObject({ sha256 });
  });

  test('a password goes to its own server only, and into no message', async () => {
    const elsewhere = await new FaultServer().start();
    try {
      const there = elsewhere.on('/there', serve(content));
      const url = server.on('/f', (_request, response) => void response.writeHead(302, { location: there }).end());
      await get([url.replace('http://', 'http://me:s3cret@')]);
      expect(server.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:s3cret').toString('base64')}`);
      expect(elsewhere.requests[0]?.headers.authorization).toBeUndefined();
      expect(redacted).toEqual(['s3cret']);
      const note = readFileSync(`${path}.kubexm.json`, 'utf8');
      expect(note).not.toContain('s3cret');
      rmSync(path);
      const detail = await failure(get([`${server.url.replace('http://', 'http://me:s3cret@')}/missing?token=s3cret`]));
      expect(detail).toContain('/missing: status 404');
      expect(detail).not.toContain('s3cret');
    } finally {
      await elsewhere.stop();
    }
  });
});

describe('checksums', () => {
  test.each<[string, string]>([
    ['bare', `${sha256}\n`],
    ['in a list', `${digest(other)}  other\n${sha256}  f\n`],
    ['sha512', `${digest(content, 'sha512')} *f`],
  ])('%s', async (_name, text) => {
    const url = server.on('/f', serve(content));
    const checksumUrl = server.on('/f.sum', (_request, response) => void response.end(text));
    expect(await get([url], { checksumUrl })).toMatchObject({ sha256 });
    expect(JSON.parse(readFileSync(`${path}.kubexm.json`, 'utf8'))).toEqual({ sha256, url });
  });

  test('a list without the file', async () => {
    const checksumUrl = server.on('/f.sum', (_request, response) => void response.end('<html>'));
    expect(await failure(get([server.on('/f', serve(content))], { checksumUrl }))).toContain(
      'no sha256 or sha512 of f or file',
    );
    expect(server.count('/f')).toBe(0);
  });

  test('wrong content, twice the same: not asked again', async () => {
    const detail = await failure(get([server.on('/f', serve(other))], { sha256 }));
    expect(detail).toContain(`sha256 is ${digest(other)}, expected is ${sha256}`);
    expect(server.count('/f')).toBe(1);
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  test('wrong content by sha512', async () => {
    const checksumUrl = server.on('/f.sum', (_request, response) => void response.end(digest(other, 'sha512')));
    expect(await failure(get([server.on('/f', serve(content))], { checksumUrl }))).toContain('sha512 is');
  });
});

describe('mirrors', () => {
  test('in their order, the first that delivers', async () => {
    const good = server.on('/good', serve(content));
    const never = server.on('/never', serve(content));
    const wrong = server.on('/wrong', serve(other));
    expect(
      await get(['http://127.0.0.1:1/x', `${server.url}/missing`, wrong, good, never], { sha256, attempts: 2 }),
    ).toMatchObject({ sha256 });
    expect(server.requests.map((request) => request.path)).toEqual(['/missing', '/wrong', '/good']);
  });

  test('all fail: every reason is told', async () => {
    const down = server.on('/down', (_request, response) => void response.writeHead(503).end());
    const detail = await failure(get(['http://127.0.0.1:1/x', `${server.url}/missing`, down], { attempts: 2 }));
    expect(detail.split('\n')).toEqual([
      expect.stringMatching(/^http:\/\/127.0.0.1:1\/x: .*ECONNREFUSED/),
      expect.stringMatching(/^http:\/\/127.0.0.1:1\/x: /),
      `${server.url}/missing: status 404 Not Found`,
      `${server.url}/down: status 503 Service Unavailable`,
      `${server.url}/down: status 503 Service Unavailable`,
    ]);
  });

  test('what one began another goes on with, when the digest is known', async () => {
    const one = server.on('/one', cut(content, 120_000));
    const two = server.on('/two', serve(content, '"other"'));
    expect(await get([one, two], { sha256, attempts: 1 })).toMatchObject({ sha256 });
    expect(server.requests[1]).toMatchObject({ path: '/two', range: 'bytes=120000-', ifRange: undefined });
  });

  test('and starts anew when it is not', async () => {
    const one = server.on('/one', cut(content, 120_000));
    const two = server.on('/two', serve(content, '"other"'));
    expect(await get([one, two], { attempts: 1 })).toMatchObject({ sha256 });
    expect(server.requests[1]?.range).toBeUndefined();
  });
});

describe('faults', () => {
  test('500, then 200', async () => {
    const good = serve(content);
    const url = server.on('/f', (request, response, n) =>
      n < 2 ? void response.writeHead(500).end() : good(request, response, n),
    );
    expect(await get([url])).toMatchObject({ sha256 });
    expect(server.count('/f')).toBe(3);
  });

  test.each([400, 401, 403, 404, 410])('%d is not asked again', async (status) => {
    const url = server.on('/f', (_request, response) => void response.writeHead(status).end());
    expect(await failure(get([url]))).toContain(`status ${status}`);
    expect(server.count('/f')).toBe(1);
  });

  test('Retry-After is obeyed', async () => {
    const good = serve(content);
    const url = server.on('/f', (request, response, n) =>
      n === 0 ? void response.writeHead(429, { 'retry-after': '1' }).end() : good(request, response, n),
    );
    const started = performance.now();
    await get([url]);
    expect(performance.now() - started).toBeGreaterThan(950);
  });

  test('a stall, then the rest', async () => {
    const good = serve(content);
    const url = server.on('/f', (request, response, n) => {
      if (n > 0) return good(request, response, n);
      response.writeHead(200, { 'content-length': content.length, etag: '"v1"' });
      response.write(content.subarray(0, 70_000));
    });
    expect(await get([url])).toMatchObject({ sha256 });
    expect(server.requests[1]).toMatchObject({ range: 'bytes=70000-', ifRange: '"v1"' });
  });

  test('a server that never answers', async () => {
    const url = server.on('/f', () => undefined);
    expect(await failure(get([url], { attempts: 2 }))).toContain('no answer within 0.3 s');
    expect(server.count('/f')).toBe(2);
  });

  test('a server that takes the connection and says nothing', async () => {
    const mute = createTcp(() => undefined);
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const detail = await failure(get([`http://127.0.0.1:${(mute.address() as AddressInfo).port}/`], { attempts: 1 }));
    expect(detail).toContain('no answer within');
    mute.close();
  });

  test('cut again and again, each time a little further', async () => {
    const url = server.on('/f', (request, response) => {
      const from = Number(/[0-9]+/.exec(request.headers.range ?? '0')?.[0]);
      const range = { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` };
      response.writeHead(from === 0 ? 200 : 206, {
        'content-length': content.length - from,
        etag: '"v1"',
        ...(from === 0 ? {} : range),
      });
      response.write(content.subarray(from, from + 50_000), () => response.socket?.end());
    });
    expect(await get([url], { attempts: 4 })).toMatchObject({ sha256 });
    expect(server.requests.map((request) => request.range)).toEqual([
      undefined,
      'bytes=50000-',
      'bytes=100000-',
      'bytes=150000-',
    ]);
  });

  test('a length that is a lie: longer than what comes', async () => {
    const url = server.on('/f', (_request, response) => {
      response.writeHead(200, { 'content-length': content.length + 10, connection: 'close' });
      response.write(content, () => response.socket?.end());
    });
    expect(await failure(get([url], { attempts: 2 }))).toMatch(/aborted|ended after/);
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
    expect(await failure(get([url], { sha256, attempts: 1 }))).toMatch(/sha256 is|Parse Error/);
    expect(await failure(get([url], { bytes: content.length, attempts: 1 }))).toContain('expected are 200000');
    liar.close();
  });

  test('no length at all, and no checksum', async () => {
    const vague = createTcp((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(Buffer.concat([Buffer.from('HTTP/1.0 200 OK\r\n\r\n'), content])));
    });
    await new Promise<void>((resolve) => vague.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(vague.address() as AddressInfo).port}/f`;
    expect(await failure(get([url]))).toContain('does not say how long');
    expect(await get([url], { sha256 })).toMatchObject({ sha256 });
    vague.close();
  });

  test('another size than expected', async () => {
    expect(await failure(get([server.on('/f', serve(content))], { bytes: 5 }))).toContain(
      'has 200000 bytes, expected are 5',
    );
  });

  test('packed although nobody asked', async () => {
    const url = server.on(
      '/f',
      (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    );
    expect(await failure(get([url]))).toContain('packs the file as gzip');
  });

  test.each<[string, string, string]>([
    ['in a circle', '/f', 'more than 10 redirects'],
    ['to nowhere', 'http://:::', 'leads nowhere'],
    ['to a file', 'file:///etc/hostname', 'a redirect to file:'],
  ])('redirects %s', async (_name, location, message) => {
    const url = server.on('/f', (_request, response) => void response.writeHead(302, { location }).end());
    expect(await failure(get([url]))).toContain(message);
    expect(server.count('/f')).toBeLessThan(12);
  });

  test('a directory in its place', async () => {
    const url = server.on('/f', serve(content));
    path = mkdtempSync(join(base, 'dir-'));
    await expect(get([url])).rejects.toThrow();
  });
});

describe('resume', () => {
  async function begun(): Promise<string> {
    const url = server.on('/f', cut(content, 80_000));
    await failure(get([url], { attempts: 1 }));
    expect(statSync(`${path}.part`).size).toBe(80_000);
    return url;
  }

  test('a later run goes on where this one ended', async () => {
    const url = await begun();
    server.on('/f', serve(content));
    expect(await get([url])).toMatchObject({ sha256 });
    expect(server.requests.at(-1)).toMatchObject({ range: 'bytes=80000-', ifRange: '"v1"' });
    expect(readdirSync(join(path, '..')).sort()).toEqual(['file', 'file.kubexm.json']);
  });

  test('a file that has changed meanwhile comes anew', async () => {
    const url = await begun();
    server.on('/f', serve(other, '"v2"'));
    expect(await get([url])).toMatchObject({ sha256: digest(other) });
  });

  test('a part of another file is found out by the digest, and thrown away', async () => {
    const url = await begun();
    writeFileSync(`${path}.part`, Buffer.alloc(80_000, 9));
    server.on('/f', serve(content));
    expect(await get([url], { sha256 })).toMatchObject({ sha256 });
    expect(server.requests.at(-1)?.range).toBeUndefined();
  });

  test('a part longer than the file', async () => {
    const url = await begun();
    writeFileSync(`${path}.part`, Buffer.alloc(300_000));
    server.on('/f', serve(content));
    expect(await get([url])).toMatchObject({ sha256 });
  });

  test('a server that gives another range than was asked for', async () => {
    const url = await begun();
    const good = serve(content);
    server.on('/f', (request, response, n) => {
      if (request.headers.range === undefined) return good(request, response, n);
      response.writeHead(206, { 'content-range': `bytes 0-9/${content.length}`, 'content-length': 10 });
      response.end(content.subarray(0, 10));
    });
    expect(await get([url])).toMatchObject({ sha256 });
  });

  test('a weak validator is none', async () => {
    const url = server.on('/f', cut(content, 80_000, 'W/"v1"'));
    await failure(get([url], { attempts: 1 }));
    server.on('/f', serve(content));
    await get([url]);
    expect(server.requests.at(-1)?.range).toBeUndefined();
  });
});

describe('stopping', () => {
  test('the run stops it at once, and what came stays', async () => {
    const stop = new AbortController();
    const url = server.on('/f', (_request, response) => {
      response.writeHead(200, { 'content-length': content.length, etag: '"v1"' });
      response.write(content.subarray(0, 60_000));
      setTimeout(() => stop.abort(), 100);
    });
    const started = performance.now();
    await expect(
      download.definition.apply(local, { urls: [url, url], path, stallSeconds: 30 }, io(stop.signal)),
    ).rejects.toThrow();
    expect(performance.now() - started).toBeLessThan(3000);
    expect(server.count('/f')).toBe(1);
    expect(statSync(`${path}.part`).size).toBe(60_000);
  });

  test('its own time limit', async () => {
    const url = server.on('/f', () => undefined);
    await expect(get([url], { timeoutSeconds: 0.2, stallSeconds: 30 })).rejects.toThrow(/timeout/i);
  });
});

describe('proxy', () => {
  let proxy: Server;
  let address = '';
  let seenByProxy: string[] = [];
  const tunnels: TcpServer[] = [];

  beforeAll(async () => {
    proxy = createHttp((request, response) => {
      seenByProxy.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`);
      const onward = httpRequest(request.url ?? '', (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      onward.end();
    });
    proxy.on('connect', (request, socket) => {
      seenByProxy.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? ''}`);
      if (request.url?.startsWith('forbidden') === true) {
        socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
        return;
      }
      const [host = '', port = ''] = (request.url ?? '').split(':');
      const onward = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    seenByProxy = [];
  });
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
    for (const tunnel of tunnels) tunnel.close();
  });

  const through = async (urls: readonly string[], env: Readonly<Record<string, string>>, more: object = {}) => {
    mkdirSync(join(path, '..'), { recursive: true });
    return await downloadFile(
      {
        urls,
        path,
        sha256,
        checksumUrl: undefined,
        bytes: undefined,
        caFile: undefined,
        attempts: 1,
        delaySeconds: 0.01,
        stallSeconds: 2,
        ...more,
      },
      { signal: new AbortController().signal, env, progress: () => undefined },
    );
  };

  test('http goes through it, with its own password', async () => {
    const url = server.on('/f?x=1', serve(content));
    await through([url], { http_proxy: `http://u:p%40@${address}` });
    expect(seenByProxy).toEqual([`GET ${url} Basic ${Buffer.from('u:p@').toString('base64')}`]);
  });

  test('unless NO_PROXY says otherwise', async () => {
    await through([server.on('/f', serve(content))], { http_proxy: `http://${address}`, no_proxy: '127.0.0.0/8' });
    expect(seenByProxy).toEqual([]);
  });

  test('https goes through a tunnel, and its certificate is still checked', async (context) => {
    const [key, cert] = [join(base, 'key.pem'), join(base, 'cert.pem')];
    const made = spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      cert,
      '-days',
      '2',
      '-subj',
      '/CN=x',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
    ]);
    if (made.status !== 0) return context.skip();
    const secure = createHttps({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      if (request.url === '/down') response.writeHead(302, { location: server.on('/plain', serve(content)) }).end();
      else serve(content)(request, response, 0);
    });
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    tunnels.push(secure);
    const url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
    const env = { HTTPS_PROXY: address };
    await through([`${url}/f`], env, { caFile: cert });
    expect(seenByProxy).toEqual([`CONNECT ${url.slice(8)} `]);
    await expect(through([`${url}/f`], env)).rejects.toMatchObject({
      detail: expect.stringMatching(/self-signed/) as string,
    });
    await through([`${url}/f`], {}, { caFile: cert });
    // Only a known digest lets a download leave https.
    await through([`${url}/down`], {}, { caFile: cert });
    await expect(through([`${url}/down`], {}, { caFile: cert, sha256: undefined })).rejects.toMatchObject({
      detail: expect.stringMatching(/redirect from https to http:/) as string,
    });
  });

  test('a proxy that refuses', async () => {
    await expect(through(['https://forbidden.invalid/f'], { https_proxy: address })).rejects.toMatchObject({
      detail: `https://forbidden.invalid/f: the proxy ${address} answers 403`,
    });
  });
});

describe('the step', () => {
  const { judge, apply, saves, probe } = download.definition;
  const want: Download = { urls: ['http://m/f'], path: '/c/f', sha256 };

  test.each<[string, ReturnType<typeof seen>, Partial<Download>, object]>([
    ['there', seen({ sha256, size: 9 }), {}, { verdict: 'satisfied', output: { path: '/c/f', sha256, bytes: 9 } }],
    ['absent', absent, {}, { verdict: 'needed', diff: [{ what: '/c/f', to: `sha256 ${sha256.slice(0, 12)}` }] }],
    ['another', seen({ sha256: 'a'.repeat(64) }), {}, { verdict: 'needed', diff: [{ from: 'another file' }] }],
    [
      'no digest, no note',
      seen({ sha256, rest: '\0' }),
      { sha256: undefined as never },
      { verdict: 'needed', diff: [{ to: 'downloaded' }] },
    ],
    [
      'noted',
      seen({ sha256, rest: `\0${JSON.stringify({ sha256, url: 'http://m/f' })}` }),
      { sha256: undefined as never },
      { verdict: 'satisfied' },
    ],
    [
      'noted, changed since',
      seen({ sha256: 'a'.repeat(64), rest: `\0${JSON.stringify({ sha256, url: 'http://m/f' })}` }),
      { sha256: undefined as never },
      { verdict: 'needed' },
    ],
    [
      'noted from elsewhere',
      seen({ sha256, rest: `\0${JSON.stringify({ sha256, url: 'http://n/f' })}` }),
      { sha256: undefined as never },
      { verdict: 'needed' },
    ],
    ['a broken note', seen({ sha256, rest: '\0{' }), { sha256: undefined as never }, { verdict: 'needed' }],
  ])('judge: %s', (_name, answer, more, verdict) => {
    expect(judge!(answer, { ...want, ...more })).toMatchObject(verdict);
  });

  test('nothing there and nothing noted', () => {
    expect(judge!(bytes('absent\n\0'), { ...want, sha256: undefined as never }).verdict).toBe('needed');
  });

  test('keeps the image of what it writes', () => {
    expect(saves!(want)).toEqual(['/c/f']);
    expect(saves!({ urls: ['http://m/f'], path: '/c/f' })).toEqual(['/c/f', '/c/f.kubexm.json']);
    expect(probe!(want).script).not.toContain('kubexm.json');
  });

  test.each<[string, Partial<Download>, string]>([
    ['no address', { urls: [] }, 'no address'],
    ['a strange address', { urls: ['ftp://x/'] }, 'no http or https'],
    ['a digest that is none', { sha256: 'abc' }, 'no sha256'],
    ['a relative path', { path: 'x' }, 'absolute'],
  ])('refuses %s', async (_name, more, message) => {
    await expect(apply(local, { ...want, ...more }, io())).rejects.toThrow(message);
  });

  test('refuses to work for another host', async () => {
    await expect(apply({ name: 'node1' } as Host, want, io())).rejects.toThrow('local machine only');
  });
});
