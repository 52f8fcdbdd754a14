import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { type ConnectOptions, connectMachine } from '../../src/host/connect.ts';
import type { LinkedMachine } from '../../src/host/machine.ts';

/** Where a host falls silent. It goes on answering keepalives all the while. */
export interface Silence {
  /** Sessions that are not touched by it, counted from now on. */
  readonly skip?: number;
  /** Opening a session is not answered. */
  readonly channel?: boolean;
  /** The session is opened, its command not started. */
  readonly exec?: boolean;
  /** What it prints is held back from where this is printed. */
  readonly output?: RegExp;
  /** So many bytes of input are taken, and no more. */
  readonly input?: number;
  /** This instead of what it prints, for ever. */
  readonly flood?: string;
}

/** One of the hosts behind a shell server: all are this machine, each with directories of its own. */
export interface ShellHost {
  readonly name: string;
  connect(options?: ConnectOptions): Promise<LinkedMachine>;
  /** From now on, in sessions that are open too, until it is changed. */
  silence(silence: Silence | undefined): void;
  /** All its connections break. */
  cut(): void;
  /** And so does every new one: it was switched off. */
  powerOff(): void;
  /** Nothing is answered any more, not even keepalives: its cable was pulled. */
  unplug(): void;
  /** Connections that are open. */
  readonly connections: number;
}

/** An SSH server in this process that starts real shells. What it does to them a test controls. */
export interface ShellServer {
  host(name: string): ShellHost;
  close(): Promise<void>;
}

/** Starts one. */
export async function startShellServer(): Promise<ShellServer> {
  const dir = await mkdtemp(join(tmpdir(), 'kx-shells-'));
  const hosts = new Map<string, HostBehind>();
  const sockets = new Set<Socket>();
  const key = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
  const hostKeys = [key.export({ type: 'sec1', format: 'pem' }) as string];
  const ssh = new ssh2.Server({ hostKeys }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (context) => {
      const host = hosts.get(context.username);
      if (!host || host.off) return client.end();
      client.once('ready', () => host.serve(client));
      context.accept();
    });
  });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    ssh.injectSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    host(name) {
      const host = hosts.get(name) ?? new HostBehind(name, dir, port);
      hosts.set(name, host);
      return host;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      for (const host of hosts.values()) host.close();
      await new Promise((resolve) => server.close(resolve));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

class HostBehind implements ShellHost {
  readonly name: string;
  off = false;
  readonly #dir: string;
  readonly #port: number;
  readonly #clients = new Set<ssh2.Connection>();
  readonly #children = new Set<ChildProcess>();
  #silence: Silence | undefined;
  #skipped = 0;

  constructor(name: string, dir: string, port: number) {
    this.name = name;
    this.#dir = dir;
    this.#port = port;
  }

  get connections(): number {
    return this.#clients.size;
  }

  connect(options: ConnectOptions = {}): Promise<LinkedMachine> {
    const target = {
      name: this.name,
      address: '127.0.0.1',
      port: this.#port,
      user: this.name,
      auth: { password: 'any' },
      hostKeys: { pinFile: join(this.#dir, `${this.name}.known`) },
      bastions: [],
    };
    const dirs = { stateDir: join(this.#dir, this.name, 'state'), runDir: join(this.#dir, this.name, 'run') };
    return connectMachine(target, { ...dirs, sudo: false, ...options });
  }

  silence(silence: Silence | undefined): void {
    this.#silence = silence;
    this.#skipped = 0;
  }

  cut(): void {
    for (const client of this.#clients) (client as unknown as { _sock: Socket })._sock.resetAndDestroy();
  }

  powerOff(): void {
    this.off = true;
    this.cut();
  }

  unplug(): void {
    this.off = true;
    for (const client of this.#clients) (client as unknown as { _sock: Socket })._sock.pause();
  }

  serve(client: ssh2.Connection): void {
    this.#clients.add(client);
    client.on('close', () => this.#clients.delete(client));
    client.on('session', (accept) => {
      const skipped = this.#skips();
      const silence = (): Silence => (skipped ? {} : (this.#silence ?? {}));
      if (silence().channel) return;
      accept().on('exec', (acceptExec, _reject, { command }) => {
        if (!silence().exec) this.#start(acceptExec(), command, silence);
      });
    });
  }

  #skips(): boolean {
    const skipped = this.#skipped < (this.#silence?.skip ?? 0);
    this.#skipped++;
    return skipped;
  }

  #start(stream: ssh2.ServerChannel, command: string, silence: () => Silence): void {
    const child = spawn('/bin/sh', ['-c', command], { cwd: '/', detached: true, stdio: 'pipe' });
    this.#children.add(child);
    child.stdin.on('error', () => undefined);
    let [printed, taken, held] = ['', 0, false];
    child.stdout.on('data', (chunk: Buffer) => {
      const { output, flood } = silence();
      printed = (printed + chunk.toString('latin1')).slice(-1024 * 1024);
      held ||= output?.test(printed) ?? false;
      if (flood !== undefined) pour(stream, flood);
      else if (!held && stream.writable) stream.write(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => stream.writable && stream.stderr.write(chunk));
    stream.on('data', (chunk: Buffer) => {
      taken += chunk.length;
      if (taken > (silence().input ?? Number.POSITIVE_INFINITY)) stream.pause();
      else child.stdin.write(chunk);
    });
    stream.on('end', () => child.stdin.end());
    stream.on('close', () => child.stdin.end());
    stream.on('error', () => undefined);
    child.on('close', (code) => {
      this.#children.delete(child);
      if (held || !stream.writable) return;
      stream.exit(code ?? 255);
      stream.end();
    });
  }

  close(): void {
    for (const child of this.#children) {
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
  }
}

/** Prints without end, as fast as it is taken. */
function pour(stream: ssh2.ServerChannel, text: string): void {
  const more = (): void => {
    while (stream.writable && stream.write(text));
  };
  stream.on('drain', more);
  more();
}
