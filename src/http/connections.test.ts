import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { type SelfSigned, selfSigned } from '../../test/support/certificate.ts';
import { FaultServer, serve } from '../../test/support/fault-server.ts';
import { type ConnectionOptions, Connections } from './connections.ts';
import { exchange } from './exchange.ts';

const base = mkdtempSync(join(tmpdir(), 'kubexm-connections-'));
const certificate = selfSigned(base);
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Asks a server with a certificate of its own; `proxy`: through a tunnel. */
async function ask(tls: SelfSigned, proxy: boolean, more: Partial<ConnectionOptions> = {}): Promise<number> {
  const server = await new FaultServer(tls).start();
  const tunnels = createHttp().on('connect', (request, socket) => {
    const onward = connect(Number((request.url ?? '').split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  await new Promise<void>((resolve) => tunnels.listen(0, '127.0.0.1', resolve));
  const through = new URL(`http://127.0.0.1:${(tunnels.address() as AddressInfo).port}`);
  const connections = new Connections({
    proxyFor: () => (proxy ? through : undefined),
    stallSeconds: 5,
    ...more,
  });
  try {
    const url = new URL(server.on('/f', serve(Buffer.from('x'))));
    const { signal } = new AbortController();
    const answer = await exchange(connections, { method: 'GET', url, headers: {}, signal, stallSeconds: 5 });
    await answer.body.drop();
    return answer.status;
  } finally {
    connections.close();
    tunnels.close();
    await server.stop();
  }
}

describe.skipIf(certificate === undefined).each([
  ['directly', false],
  ['through a proxy', true],
])('certificates, %s', (_name, proxy) => {
  const tls = certificate as SelfSigned;

  test('one that no authority has signed is refused', async () => {
    await expect(ask(tls, proxy)).rejects.toMatchObject({ trouble: 'certificate' });
  });

  test('NODE_TLS_REJECT_UNAUTHORIZED=0 does not turn that off', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    await expect(ask(tls, proxy)).rejects.toMatchObject({ trouble: 'certificate' });
  });

  test('a private authority is trusted where it is named', async () => {
    expect(await ask(tls, proxy, { ca: tls.cert.toString('utf8') })).toBe(200);
  });
});
