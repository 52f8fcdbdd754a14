import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FaultServer } from '../../test/support/fault-server.ts';
import { Connections } from './connections.ts';
import { get } from './get.ts';

const { signal } = new AbortController();
const KEPT = 64 * 1024;
let server: FaultServer;
let connections: Connections;
let sockets: Socket[];

beforeEach(async () => {
  sockets = [];
  server = await new FaultServer().start();
  server.on('/there', ({ socket }, response) => {
    sockets.push(socket);
    response.end('here it is');
  });
  connections = new Connections({ proxyFor: () => undefined, stallSeconds: 20 });
});
afterEach(async () => {
  connections.close();
  await server.stop();
});

async function fetched(path: string): Promise<string> {
  const answer = await get(new URL(path, server.url), { connections, signal, stallSeconds: 20, keepHttps: false });
  return (await answer.body.all(100)).toString();
}

test.each([
  [0, 1],
  [1000, 1],
  [KEPT, 1],
  [5_000_000, 2],
])('a redirect with %i bytes is followed, over %i connections', async (length, used) => {
  server.on('/moved', ({ socket }, response) => {
    sockets.push(socket);
    response.writeHead(302, { location: '/there', 'content-length': length }).end(Buffer.alloc(length));
  });
  expect(await fetched('/moved')).toBe('here it is');
  expect(new Set(sockets).size).toBe(used);
});

test('a redirect whose body never ends is followed, and its connection is closed', async () => {
  const closed = Promise.withResolvers<void>();
  server.on('/moved', (_request, response) => {
    response.on('close', closed.resolve);
    response.writeHead(302, { location: '/there' });
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(KEPT)));
    };
    response.on('drain', more);
    more();
  });
  expect(await fetched('/moved')).toBe('here it is');
  await closed.promise;
});
