import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { upstream } from '../../src/artifacts/sources/index.ts';
import { noise } from '../oci/workshop.ts';
import { failure, fileNeed, filesJob, hasty, hex, imageJob, quick, SourceWorld } from './source-world.ts';

const at = new SourceWorld();
const content = noise(10_000, 1);
const servers: Server[] = [];
const sockets = new Set<Socket>();

/** Takes connections and says nothing: as a firewall that swallows, once a connection is there. */
async function mute(): Promise<{ readonly host: string; readonly connections: () => number }> {
  let connections = 0;
  const server = createTcp((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => connections };
}

beforeEach(() => sockets.clear());
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

test('silence is waited for once, whatever is asked for and how often', async () => {
  const silent = await mute();
  const source = upstream(hasty);
  const jobs = [1, 2, 3].map((n) => filesJob(fileNeed(`http://${silent.host}/${n}`)));
  const errors = await Promise.all(jobs.map((job) => failure(source.get(job, at.store, at.io()))));
  // One line, the same each time, so that it can be printed once.
  expect(new Set(errors.map(({ message }) => message))).toEqual(
    new Set([`${silent.host} does not answer within 0.5 s: nothing came`]),
  );
  await failure(source.get(jobs[0]!, at.store, at.io()));
  expect(silent.connections()).toBe(1);
});

test('several origins are asked at the same time', async () => {
  const silent = await Promise.all([mute(), mute(), mute(), mute()]);
  const started = performance.now();
  await failure(
    upstream(hasty).get(filesJob(...silent.map(({ host }) => fileNeed(`http://${host}/f`))), at.store, at.io()),
  );
  expect(performance.now() - started).toBeLessThan(1900);
  expect(silent.map(({ connections }) => connections())).toEqual([1, 1, 1, 1]);
});

test('images too', async () => {
  const silent = await mute();
  const source = upstream({ ...hasty, plainRegistries: [silent.host] });
  expect(await failure(source.get(imageJob(`${silent.host}/pause:3.10`), at.store, at.io()))).toMatchObject({
    code: 'KX7070',
    params: { host: silent.host, seconds: 0.5 },
  });
});

test.each([
  ['nobody listens', 'http://127.0.0.1:1/f', 'KX7070', /ECONNREFUSED/],
  ['no such name', 'http://does-not-exist.invalid/f', 'KX7070', /ENOTFOUND|EAI_AGAIN/],
  ['no TLS', 'https', 'KX7070', /does not speak TLS|wrong version/],
])('%s', async (_name, url, code, reason) => {
  const address = url === 'https' ? `${at.server.url.replace('http:', 'https:')}/f` : url;
  const error = await failure(upstream(quick).get(filesJob(fileNeed(address)), at.store, at.io()));
  expect(error).toMatchObject({ code });
  expect(error.params['reason']).toMatch(reason);
});

test('a caller that stops does not wait, and does not affect others', async () => {
  const silent = await mute();
  const source = upstream({ ...hasty, answerSeconds: 1 });
  const job = filesJob(fileNeed(`http://${silent.host}/f`));
  const stop = new AbortController();
  const stopped = source.get(job, at.store, at.io({ signal: stop.signal }));
  const waiting = failure(source.get(job, at.store, at.io()));
  stop.abort();
  await expect(stopped).rejects.toThrow(/abort/i);
  expect(await waiting).toMatchObject({ code: 'KX7070' });
});

test('through a proxy, with its password; one that refuses, and one that is not there', async () => {
  const seen: string[] = [];
  const proxy = createHttp((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`);
    if (request.url?.includes('blocked') === true) return void response.writeHead(503).end();
    void fetch(request.url ?? '', { method: request.method ?? 'GET' }).then(async (answer) => {
      response.writeHead(answer.status);
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  proxy.on('connect', (_request, socket) => void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
  servers.push(proxy);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const env = { HTTP_PROXY: `http://u:p@${address}`, HTTPS_PROXY: address };
  const need = at.publish('/f', content);
  const got = await upstream(quick).get(filesJob(need), at.store, at.io({ env }));
  expect([...got.values()][0]?.sha256).toBe(hex(content));
  const basic = `Basic ${Buffer.from('u:p').toString('base64')}`;
  expect(seen).toEqual([
    `HEAD ${at.server.url}/ ${basic}`,
    `GET ${need.url}.sha256 ${basic}`,
    `GET ${need.url} ${basic}`,
  ]);

  const ask = async (url: string, more = env) =>
    await failure(upstream(hasty).get(filesJob(fileNeed(url)), at.store, at.io({ env: more })));
  expect((await ask('https://dl.example/f')).params['reason']).toBe(`the proxy ${address} answers 403`);
  expect((await ask('http://blocked.example/f')).params['reason']).toBe(`the proxy ${address} answers 503`);
  const gone = { HTTP_PROXY: 'http://127.0.0.1:1', HTTPS_PROXY: '' };
  expect((await ask('http://dl.example/f', gone)).message).toMatch(
    /^dl\.example does not answer within 0\.5 s: .*127\.0\.0\.1:1/,
  );
  const silent = await mute();
  expect((await ask('https://dl.example/f', { HTTP_PROXY: '', HTTPS_PROXY: silent.host })).message).toContain(
    'does not answer within 0.5 s',
  );
  proxy.closeAllConnections();
});
