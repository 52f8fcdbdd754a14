import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A machine to log in to. */
export interface BenchHost {
  readonly name: string;
  readonly address: string;
  readonly port: number;
}

/** Machines on loopback, and how to log in to them. */
export interface BenchHosts {
  readonly hosts: readonly BenchHost[];
  readonly user: string;
  readonly keyFile: string;
  readonly knownHosts: string;
}

/** Why there can be no hosts here; undefined when there can. */
export function noHosts(): string | undefined {
  if (process.getuid?.() !== 0) return 'it needs root, for namespaces that keep the hosts apart';
  for (const tool of ['sshd', 'ssh-keygen', 'unshare']) {
    if (spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin:/sbin command -v ${tool}`]).status !== 0) return `it needs ${tool}`;
  }
  return undefined;
}

/**
 * Runs work with some OpenSSH servers on loopback. Each has its own processes, /run, /var/lib and /srv, so that they are as
 * many machines as far as anybody can see from inside. They and all they started are gone afterwards.
 */
export async function withHosts<T>(
  count: number,
  dir: string,
  work: (hosts: BenchHosts) => Promise<T>,
): Promise<T> {
  const reason = noHosts();
  if (reason !== undefined) throw new Error(reason);
  const keyFile = join(dir, 'id_ed25519');
  const hostKey = join(dir, 'host_ed25519');
  for (const file of [keyFile, hostKey]) run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file, '-C', 'bench']);
  const user = userInfo().username;
  const knownHosts = join(dir, 'known_hosts');
  const servers: ChildProcess[] = [];
  const stop = () => {
    for (const server of servers) server.kill('SIGTERM');
  };
  process.once('exit', stop);
  try {
    const hosts: BenchHost[] = [];
    for (let i = 1; i <= count; i++) {
      const port = await freePort();
      servers.push(startServer(dir, i, port));
      hosts.push({ name: `node${i}`, address: '127.0.0.1', port });
    }
    const publicKey = readFileSync(`${hostKey}.pub`, 'utf8').trim();
    writeFileSync(knownHosts, hosts.map((host) => `[${host.address}]:${host.port} ${publicKey}\n`).join(''));
    for (const host of hosts) await answers(host);
    return await work({ hosts, user, keyFile, knownHosts });
  } finally {
    process.off('exit', stop);
    const gone = servers.map((server) => new Promise((resolve) => server.once('close', resolve)));
    stop();
    await Promise.race([Promise.all(gone), sleep(5000)]);
  }
}

/** A server as process 1 of its own namespaces: when `unshare` ends, the kernel ends everything in them. */
function startServer(dir: string, i: number, port: number): ChildProcess {
  const config = join(dir, `sshd_config_${i}`);
  const lines = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(dir, 'host_ed25519')}`,
    `AuthorizedKeysFile ${join(dir, 'id_ed25519.pub')}`,
    'PidFile none',
    'UsePAM no',
    'StrictModes no',
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'PrintMotd no',
    'PrintLastLog no',
    'UseDNS no',
    'MaxStartups 100',
    'Subsystem sftp internal-sftp',
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const own = ['/run', '/var/lib', '/srv'].map((path) => `mount -t tmpfs tmpfs ${path}`);
  const script = [...own, 'mkdir -p /run/sshd /run/lock', 'exec "$(PATH=$PATH:/usr/sbin command -v sshd)" -D -e -f "$1"'];
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--propagation', 'private'];
  return spawn('unshare', [...namespaces, 'sh', '-c', script.join(' && '), 'sh', config], { stdio: 'ignore' });
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
}

/** A port that nobody uses now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function answers({ address, port }: BenchHost): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, address);
      socket.once('data', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
      socket.once('close', () => resolve(false));
    });
    if (open) return;
    await sleep(50);
  }
  throw new Error(`the SSH server on port ${port} does not answer`);
}
