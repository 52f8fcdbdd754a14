import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttp, request as httpRequest, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Descriptor, type openRegistry, parseReference } from '../../src/artifacts/oci/index.ts';
import { proxyFor } from '../../src/http/proxy.ts';
import { FakeRegistry } from './fake-registry.ts';
import { failure, PASSWORD, Workshop } from './workshop.ts';

const at = new Workshop();
let index: Descriptor;
const credentials = (password = PASSWORD) => ({ credentials: () => ({ username: 'me', password }) });
const reference = () => parseReference(`${at.fake.host}/team/tool:1`);
const push = (options: Parameters<typeof at.open>[0]) => at.open(options).push(at.source, index, reference());

beforeEach(async () => {
  index = await at.sample(50_000);
});

describe.each(['basic', 'bearer'] as const)('a registry with a login by %s', (scheme) => {
  beforeEach(() => {
    at.fake.login = { scheme, username: 'me', password: PASSWORD };
  });

  test('lets in who has the password, and is asked once for many blobs', async () => {
    await push(credentials());
    expect(at.fake.calls('GET', '/token')).toHaveLength(scheme === 'bearer' ? 1 : 0);
    const { root } = await at.open(credentials()).pull(at.target, reference());
    expect(root).toEqual(index);
  });

  test('a wrong password is reported once', async () => {
    const error = await failure(push(credentials('another')));
    expect([error.code, error.params]).toEqual(['KX7103', { registry: at.fake.host }]);
    expect(at.fake.seen.length).toBeLessThan(20);
  });

  test('no password is another matter', async () => {
    expect((await failure(push({}))).code).toBe('KX7104');
  });

  test('a client cannot be made to tell what it knows', async () => {
    const registry = at.open(credentials());
    await registry.push(at.source, index, reference());
    expect(inspect(registry, { depth: 20, showHidden: true })).not.toContain(PASSWORD);
    expect(at.fake.seen.every(({ path }) => !path.includes(encodeURIComponent(PASSWORD)))).toBe(true);
  });
});

describe('tokens', () => {
  test('one that runs out is renewed, in the middle of an upload too', async () => {
    at.fake.login = { scheme: 'bearer', username: 'me', password: PASSWORD };
    let patches = 0;
    at.fake.fault = (request) => {
      if (request.method === 'PATCH' && ++patches === 2) at.fake.expireTokens();
      return false;
    };
    await push({ ...credentials(), chunkBytes: 20_000, parallel: 1 });
    expect(at.fake.calls('GET', '/token').length).toBe(2);
    expect((await at.open(credentials()).pull(at.target, reference())).root).toEqual(index);
  });

  test('is renewed before its time is over, and not much before', async () => {
    at.fake.login = { scheme: 'bearer', username: 'me', password: PASSWORD, saidSeconds: 300, tokenMs: 300_000 };
    const registry = at.open(credentials());
    const start = Date.now();
    const asked = async (seconds: number) => {
      vi.spyOn(Date, 'now').mockReturnValue(start + seconds * 1000);
      at.fake.seen.length = 0;
      await registry.push(at.source, index, reference());
      return at.fake.calls('GET', '/token').length;
    };
    expect([await asked(0), await asked(280), await asked(295)]).toEqual([1, 0, 1]);
  });

  test('one that was never good: the registry and its token server disagree', async () => {
    at.fake.login = { scheme: 'bearer', username: 'me', password: PASSWORD, tokenMs: -1 };
    expect((await failure(push(credentials()))).code).toBe('KX7113');
  });

  test('one that does not allow it', async () => {
    at.fake.login = {
      scheme: 'bearer',
      username: 'me',
      password: PASSWORD,
      allowed: (scope) => !scope.includes('push'),
    };
    const error = await failure(push(credentials()));
    expect([error.code, error.params]).toEqual([
      'KX7105',
      { registry: at.fake.host, action: 'push', repository: 'team/tool' },
    ]);
  });

  test.each([
    ['500 once', 'ok', 500],
    ['500 always', 'KX7110', 500],
    ['no JSON', 'KX7111', 200],
  ])('a token server that answers %s: %s', async (what, outcome, code) => {
    at.fake.login = { scheme: 'bearer', username: 'me', password: PASSWORD };
    at.fake.fault = (request, response, n) => {
      if (!(request.url ?? '').startsWith('/token') || (what === '500 once' && n > 0)) return false;
      response.writeHead(code).end('oops');
      return true;
    };
    if (outcome === 'ok') await push(credentials());
    else expect((await failure(push(credentials()))).code).toBe(outcome);
  });

  test('a mount asks for both repositories', async () => {
    at.fake.login = { scheme: 'bearer', username: 'me', password: PASSWORD };
    await at.open(credentials()).push(at.source, index, reference(), { mountFrom: 'team/base' });
    expect(at.fake.calls('GET', 'scope=repository%3Ateam%2Fbase%3Apull').length).toBeGreaterThan(0);
  });
});

test('another host never sees who is asking', async () => {
  at.fake.login = { scheme: 'basic', username: 'me', password: PASSWORD };
  await push(credentials());
  const storage = await new FakeRegistry().start();
  storage.holdSameAs(at.fake);
  at.fake.fault = (request, response) => {
    if (request.method !== 'GET' || !(request.url ?? '').includes('/blobs/')) return false;
    response.writeHead(307, { location: `${storage.url}${request.url}` }).end();
    return true;
  };
  try {
    await at.open(credentials()).pull(at.target, reference());
    expect(storage.seen.length).toBeGreaterThan(0);
    expect(storage.seen.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  } finally {
    await storage.stop();
  }
});

describe('with TLS', () => {
  const base = mkdtempSync(join(tmpdir(), 'kubexm-oci-tls-'));
  let secure: FakeRegistry;
  let ca = '';
  const openssl = (...args: string[]) => spawnSync('openssl', args, { cwd: base });

  beforeAll(() => {
    const subject = [
      '-subj',
      '/CN=registry',
      '-days',
      '2',
      '-nodes',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
    ];
    openssl(
      'req',
      '-x509',
      ...subject,
      '-keyout',
      'key.pem',
      '-out',
      'cert.pem',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
    );
    openssl(
      'req',
      '-x509',
      ...subject,
      '-keyout',
      'key2.pem',
      '-out',
      'other.pem',
      '-addext',
      'subjectAltName=DNS:elsewhere',
    );
    ca = readFileSync(join(base, 'cert.pem'), 'utf8');
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  const start = async (key: string, cert: string) => {
    secure = await new FakeRegistry({
      key: readFileSync(join(base, key)),
      cert: readFileSync(join(base, cert)),
    }).start();
    return secure;
  };
  const into = (options: Partial<Parameters<typeof openRegistry>[0]>) =>
    at.open({ registry: secure.host, plainHttp: false, ...options });
  const name = () => parseReference(`${secure.host}/team/tool:1`);

  test('a private authority is trusted when it is named, and only then', async () => {
    await start('key.pem', 'cert.pem');
    try {
      const error = await failure(into({}).push(at.source, index, name()));
      expect([error.code, error.params['reason']]).toEqual(['KX7106', expect.stringContaining('self-signed')]);
      await into({ ca }).push(at.source, index, name());
      expect((await into({ ca }).pull(at.target, name())).root).toEqual(index);
    } finally {
      await secure.stop();
    }
  });

  test('a certificate for another name is not', async () => {
    await start('key2.pem', 'other.pem');
    try {
      const error = await failure(
        into({ ca: readFileSync(join(base, 'other.pem'), 'utf8') }).push(at.source, index, name()),
      );
      expect([error.code, error.params['reason']]).toEqual(['KX7106', expect.stringContaining('127.0.0.1')]);
    } finally {
      await secure.stop();
    }
  });

  test('a registry without TLS is reported as such', async () => {
    expect((await failure(at.open({ plainHttp: false }).push(at.source, index, reference()))).code).toBe('KX7111');
  });

  test('credentials do not go to a token server without TLS, nor anything from https to http', async () => {
    await start('key.pem', 'cert.pem');
    try {
      secure.login = { scheme: 'bearer', username: 'me', password: PASSWORD, realm: `${at.fake.url}/token` };
      const error = await failure(into({ ca, ...credentials() }).push(at.source, index, name()));
      expect([error.code, at.fake.seen]).toEqual(['KX7112', []]);
      secure.login = undefined;
      secure.fault = (request, response) => {
        if (request.method !== 'POST') return false;
        response.writeHead(202, { location: `${at.fake.url}/v2/team/tool/blobs/uploads/x` }).end();
        return true;
      };
      expect((await failure(into({ ca }).push(at.source, index, name()))).code).toBe('KX7111');
      expect(at.fake.seen).toEqual([]);
    } finally {
      await secure.stop();
    }
  });

  describe('through a proxy', () => {
    let proxy: Server;
    let seen: string[] = [];

    beforeEach(async () => {
      seen = [];
      proxy = createHttp((request, response) => {
        seen.push(`${request.method} ${request.url}`);
        const onward = httpRequest(
          request.url ?? '',
          { method: request.method ?? '', headers: request.headers },
          (answer) => {
            response.writeHead(answer.statusCode ?? 500, answer.headers);
            answer.pipe(response);
          },
        );
        request.pipe(onward);
      });
      proxy.on('connect', (request, socket) => {
        seen.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? ''}`);
        const [host = '', port = ''] = (request.url ?? '').split(':');
        const onward = connect(Number(port), host, () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          onward.pipe(socket).pipe(onward);
        });
        onward.on('error', () => socket.destroy());
        socket.on('error', () => onward.destroy());
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      return () => {
        proxy.closeAllConnections();
        proxy.close();
      };
    });
    const env = (more: Readonly<Record<string, string>>) => ({ proxyFor: (url: URL) => proxyFor(url, more) });
    const address = () => `127.0.0.1:${(proxy.address() as AddressInfo).port}`;

    test('https goes through tunnels that are used again, with the certificate still checked', async () => {
      await start('key.pem', 'cert.pem');
      try {
        const through = env({ HTTPS_PROXY: `http://u:p%40@${address()}` });
        await into({ ca, ...through, parallel: 2 }).push(at.source, index, name());
        expect(seen[0]).toBe(`CONNECT ${secure.host} Basic ${Buffer.from('u:p@').toString('base64')}`);
        expect(seen.length, 'connections are kept').toBeLessThanOrEqual(3);
        expect((await into({ ca, ...through }).pull(at.target, name())).root).toEqual(index);
        expect((await failure(into(through).pull(await at.store(), name()))).code).toBe('KX7106');
      } finally {
        await secure.stop();
      }
    });

    test('http is asked for by its full address', async () => {
      await at.open(env({ http_proxy: address() })).push(at.source, index, reference());
      expect(seen.every((one) => one.includes(` http://${at.fake.host}/v2/`))).toBe(true);
      expect(seen.length).toBe(at.fake.seen.length);
    });

    test('NO_PROXY is kept to', async () => {
      await at.open(env({ http_proxy: address(), no_proxy: '127.0.0.0/8' })).push(at.source, index, reference());
      expect(seen).toEqual([]);
    });

    test('one that is not there is named', async () => {
      await start('key.pem', 'cert.pem');
      try {
        const gone = env({ https_proxy: 'http://127.0.0.1:1' });
        const error = await failure(into({ ca, ...gone, attempts: 1 }).pull(at.target, name()));
        expect([error.code, error.params['reason']]).toEqual(['KX7102', expect.stringContaining('127.0.0.1:1')]);
      } finally {
        await secure.stop();
      }
    });
  });
});
