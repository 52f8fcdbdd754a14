import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createHttp, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as generic from '../../src/step/generic/index.ts';
import { Bench, check, has, listen, perform, scratch } from './bench.ts';

const bench = new Bench(scratch('waits'));

// They wait, so they do it at the same time.
describe.concurrent('waitForPort', () => {
  const step = generic.waitForPort.definition;
  const ways = [
    bench.only('nc', ['nc']),
    bench.only('bash', ['bash', 'timeout']),
    bench.only('python3', ['python3']),
    bench.only('perl', ['perl']),
    bench.only('curl', ['curl']),
    bench.only('the kernel', []),
    ...bench.shells.filter((shell) => shell.name === 'busybox'),
  ];
  let server: Server;
  let port = 0;

  beforeAll(async () => {
    server = createHttp((_request, response) => void response.end('hello'));
    port = await listen(server);
  });
  afterAll(() => void server.close());

  test.each(ways.filter((way) => way.name === 'the kernel' || way.name === 'busybox' || has(way.name)))(
    'looks with $name',
    async (way) => {
      const host = bench.host(way);
      expect(await check(host, step, { port })).toMatchObject({ verdict: 'satisfied' });
      expect(await check(host, step, { port, closed: true })).toMatchObject({ verdict: 'needed' });
      expect(await check(host, step, { port: 1 })).toMatchObject({
        verdict: 'needed',
        diff: [{ what: '127.0.0.1:1 open' }],
      });
      expect(await check(host, step, { port: 1, closed: true })).toMatchObject({ verdict: 'satisfied' });
      const output = await perform(host, step, { port: 1, timeoutSeconds: 1, intervalSeconds: 1 });
      expect(output).toMatchObject({ code: 1, stderr: '127.0.0.1:1 open is still not so after 1 s: nobody answers\n' });
    },
  );

  test('says when there is nothing to look with', async () => {
    const host = bench.host(bench.only('nothing', []));
    const want = { port, address: '192.0.2.1' };
    expect(await check(host, step, want)).toMatchObject({ verdict: 'needed', seen: { code: 90 } });
    expect(await perform(host, step, want)).toMatchObject({
      code: 90,
      stderr: expect.stringContaining('install one of nc, bash') as string,
    });
  });

  test('waits until somebody listens', async () => {
    const late = createHttp();
    const free = await listen(late);
    await new Promise((resolve) => late.close(resolve));
    const waiting = perform(bench.host(bench.shells[0]!), step, { port: free, timeoutSeconds: 20, intervalSeconds: 1 });
    setTimeout(() => late.listen(free, '127.0.0.1'), 700);
    expect(await waiting).toMatchObject({ code: 0 });
    late.close();
  });

  test.each([0, 65536, 1.5])('refuses port %d', (bad) => {
    expect(() => step.probe!({ port: bad })).toThrow('no port');
  });

  test.each(['a b', '-x', '$(id)', ''])('refuses the address %j', (address) => {
    expect(() => step.probe!({ port: 1, address })).toThrow('no address');
  });
});

describe.concurrent('waitForHttp', () => {
  const step = generic.waitForHttp.definition;
  const ways = [bench.only('curl', ['curl']), bench.only('python3', ['python3']), bench.only('wget', ['wget'])].filter(
    (way) => has(way.name),
  );
  let plain: Server;
  let secure: ReturnType<typeof createHttps> | undefined;
  let url = '';
  let tls = '';
  const ca = join(bench.base, 'ca.pem');

  beforeAll(async () => {
    const answer = (
      request: { url?: string | undefined },
      response: { writeHead(code: number, headers?: object): void; end(text: string): void },
    ) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/' });
      else if (request.url === '/down') response.writeHead(503);
      else response.writeHead(200);
      response.end(request.url === '/down' ? 'sorry\n' : 'first\nok: "all" $good\n');
    };
    plain = createHttp(answer);
    url = `http://127.0.0.1:${await listen(plain)}`;
    const key = join(bench.base, 'key.pem');
    const made = spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      key,
      '-out',
      ca,
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
    ]);
    if (made.status !== 0) return;
    secure = createHttps({ key: readFileSync(key), cert: readFileSync(ca) }, answer);
    tls = `https://127.0.0.1:${await listen(secure)}`;
  });
  afterAll(() => {
    plain.close();
    secure?.close();
  });

  test.each(ways)('asks with $name', async (way) => {
    const host = bench.host(way);
    const verdict = async (want: object) => (await check(host, step, want)).verdict;
    expect(await verdict({ url })).toBe('satisfied');
    expect(await verdict({ url, body: '^ok: "all" [$]good$' })).toBe('satisfied');
    expect(await verdict({ url, body: 'nothing' })).toBe('needed');
    expect(await verdict({ url: `${url}/down` })).toBe('needed');
    expect(await verdict({ url: `${url}/down`, status: [200, 503] })).toBe('satisfied');
    expect(await verdict({ url: `${url}/down`, status: [503], body: '^sorry$' })).toBe('satisfied');
    expect(await verdict({ url: `${url}/moved` })).toBe('needed');
    expect(await verdict({ url: `${url}/moved`, status: [302] })).toBe('satisfied');
    expect(await verdict({ url: 'http://127.0.0.1:1/' })).toBe('needed');
    if (tls === '') return;
    expect(await verdict({ url: tls })).toBe('needed');
    expect(await verdict({ url: tls, insecure: true })).toBe('satisfied');
    expect(await verdict({ url: tls, caFile: ca })).toBe('satisfied');
  });

  test.runIf(bench.shells.some((shell) => shell.name === 'busybox'))('asks with the wget of busybox', async () => {
    const host = bench.host(bench.shells.find((shell) => shell.name === 'busybox')!);
    expect(await check(host, step, { url, body: '^ok' })).toMatchObject({ verdict: 'satisfied' });
    expect(await check(host, step, { url: `${url}/down` })).toMatchObject({ verdict: 'needed' });
    // It does not check certificates: then it must not be asked.
    if (tls !== '')
      expect(await check(host, step, { url: tls })).toMatchObject({ verdict: 'needed', seen: { code: 90 } });
  });

  test('says what came instead', async () => {
    const host = bench.host(bench.shells[0]!);
    const down = await perform(host, step, { url: `${url}/down`, timeoutSeconds: 1, intervalSeconds: 1 });
    expect(down.stderr).toBe(`${url}/down is still not so after 1 s: status 503\n`);
    const nobody = await perform(host, step, { url: 'http://127.0.0.1:1/', timeoutSeconds: 0 });
    expect(nobody.stderr).toMatch(/after 0 s: no answer: .*(?:refused|connect)/i);
  });

  test('says when there is nothing to ask with', async () => {
    const output = await perform(bench.host(bench.only('nothing', [])), step, { url });
    expect(output).toMatchObject({ code: 90, stderr: 'nothing to ask with: install curl, python3 or wget\n' });
  });

  test.each(['ftp://x/', 'nonsense', 'http://user:pass@x/'])('refuses %s', (bad) => {
    expect(() => step.probe!({ url: bad })).toThrow();
  });
});
