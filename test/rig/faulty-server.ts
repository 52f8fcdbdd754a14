import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import ssh2 from 'ssh2';

/** What goes wrong: when a client logs in, or later. */
export type Fault =
  | 'silent'
  | 'not-ssh'
  | 'drop-handshake'
  | 'drop-login'
  | 'stall-login'
  | 'no-sessions'
  | 'kick-login';

/** A server that breaks the protocol in one way. */
export interface FaultyServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a server with a fault. */
export async function startFaultyServer(fault: Fault): Promise<FaultyServer> {
  const sockets = new Set<Socket>();
  const hostKeys = [
    generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export({ type: 'sec1', format: 'pem' }),
  ];
  const ssh = new ssh2.Server({ hostKeys: hostKeys as string[] }, (client) => {
    client.on('error', () => undefined);
    if (fault === 'drop-handshake') client.end();
    client.on('authentication', (context) => {
      if (fault === 'stall-login') return;
      if (fault === 'drop-login') for (const socket of sockets) socket.destroy();
      else if (fault === 'kick-login') {
        // 14: no more authentication methods available.
        (client as unknown as { _protocol: { disconnect(reason: number): void } })._protocol.disconnect(14);
        client.end();
      } else context.accept();
    });
    client.on('session', (_accept, reject) => {
      if (fault === 'no-sessions') reject();
    });
  });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    if (fault === 'silent') return;
    if (fault === 'not-ssh') socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    else ssh.injectSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
