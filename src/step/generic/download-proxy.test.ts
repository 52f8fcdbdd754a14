import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer as createHttp, request as httpRequest, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, type Server as TcpServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { content, Downloading, sha256 } from '../../../test/support/downloading.ts';
import { serve } from '../../../test/support/fault-server.ts';
import { downloadFile } from '../../http/download.ts';

const at = new Downloading();

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
    mkdirSync(join(at.path, '..'), { recursive: true });
    return await downloadFile(
      {
        urls,
        path: at.path,
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
    const url = at.server.on('/f?x=1', serve(content));
    await through([url], { http_proxy: `http://u:p%40@${address}` });
    expect(seenByProxy).toEqual([`GET ${url} Basic ${Buffer.from('u:p@').toString('base64')}`]);
  });

  test('unless NO_PROXY says otherwise', async () => {
    await through([at.server.on('/f', serve(content))], { http_proxy: `http://${address}`, no_proxy: '127.0.0.0/8' });
    expect(seenByProxy).toEqual([]);
  });

  test('https goes through a tunnel, and its certificate is still checked', async (context) => {
    const [key, cert] = [join(at.base, 'key.pem'), join(at.base, 'cert.pem')];
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
      cert,
      '-days',
      '2',
      '-subj',
      '/CN=x',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
    ]);
    if (made.status !== 0) return context.skip('needs openssl');
    const secure = createHttps({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      if (request.url === '/down') response.writeHead(302, { location: at.server.on('/plain', serve(content)) }).end();
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
