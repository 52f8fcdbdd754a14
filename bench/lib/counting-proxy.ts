import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that counts how often the client had to wait for an answer before it said more. */
export interface CountingProxy {
  readonly port: number;
  /** Waits so far. */
  readonly waits: number;
  close(): Promise<void>;
}

/**
 * Stands right beside the client, with the delay behind it. A wait is counted when the client sends something after it has heard
 * something new, and not within `quietMs` of the last: packets of one answer that arrive one by one are one wait.
 */
export async function startCountingProxy(to: number, quietMs: number): Promise<CountingProxy> {
  const sockets = new Set<Socket>();
  let waits = 0;
  let heard = false;
  let last = Number.NEGATIVE_INFINITY;
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: to, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', () => {
      const now = performance.now();
      if (!heard || now - last < quietMs) return;
      waits++;
      heard = false;
      last = now;
    });
    upstream.on('data', () => {
      heard = true;
    });
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    port: address.port,
    get waits() {
      return waits;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
