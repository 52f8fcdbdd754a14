import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEADLINES } from '../model/deadlines.ts';
import type { Channel, Connection, ExecOptions, Exit } from './connection.ts';

/** Starts commands on this machine, in the same way as over SSH. */
export function connectLocal(): Connection {
  const channels = new Set<Channel>();
  const { promise: closed, resolve: close } = Promise.withResolvers<Error | undefined>();
  let alive = true;
  return {
    async exec(command: string, options: ExecOptions = {}): Promise<Channel> {
      options.signal?.throwIfAborted();
      if (!alive) throw new Error('the connection is closed');
      if (options.pty) throw new Error('there is no terminal for local commands');
      const channel = await start(command);
      channels.add(channel);
      void channel.exit.then(() => channels.delete(channel));
      return channel;
    },
    forwardOut: dial,
    get alive() {
      return alive;
    },
    closed,
    async close() {
      alive = false;
      for (const channel of channels) channel.close();
      // What a shell still runs may go on after it; nobody waits for that.
      const exits = Promise.all([...channels].map((channel) => channel.exit));
      await Promise.race([exits, sleep(DEADLINES.disconnectMs, undefined, { ref: false })]);
      close(undefined);
    },
  };
}

/** A session of its own, so that Ctrl-C at the terminal does not reach the command. */
function start(command: string): Promise<Channel> {
  const child = spawn('/bin/sh', ['-c', command], { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const { stdin, stdout, stderr } = child;
  const exit = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
  });
  // A command that ends without reading its input is not an error of ours.
  stdin.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => {
      resolve({
        stdin,
        stdout,
        stderr,
        exit,
        close() {
          stdin.destroy();
          stdout.destroy();
          stderr.destroy();
          child.kill('SIGHUP');
        },
      });
    });
  });
}

function dial(address: string, port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}
