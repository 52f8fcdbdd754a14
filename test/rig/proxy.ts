import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on loopback whose network a test controls. */
export interface DelayProxy {
  readonly port: number;
  /** Milliseconds added to each direction. */
  delayMs: number;
  /** Connections that were ever made through it. */
  readonly connections: number;
  /** Resets all connections. */
  cut(): void;
  /** Nothing passes any more, without an error: a cable was pulled. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** Puts a proxy in front of a port. */
export async function startProxy(to: number, delayMs = 0): Promise<DelayProxy> {
  const sockets = new Set<Socket>();
  let frozen = false;
  let connections = 0;
  const pass = (from: Socket, into: Socket): void => {
    let queue = Promise.resolve();
    from.on('data', (chunk: Buffer) => {
      const due = Date.now() + proxy.delayMs;
      queue = queue.then(async () => {
        while (frozen) await wait(20);
        const left = due - Date.now();
        if (left > 0) await wait(left);
        if (into.writable && !into.write(chunk)) {
          from.pause();
          into.once('drain', () => from.resume());
        }
      });
    });
    from.on('end', () => void queue.then(() => into.end()));
  };
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    connections++;
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
    pass(client, upstream);
    pass(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const proxy: DelayProxy = {
    port,
    delayMs,
    get connections() {
      return connections;
    },
    cut() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
    },
    async close() {
      frozen = false;
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
