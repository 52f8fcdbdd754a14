import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from '../../src/connector/target.ts';
import { sh } from '../../src/model/script.ts';
import { type HostInit, type InitKind, startInit } from './host-init.ts';
import { runSmall } from './starter.ts';

export { type FaultyServer, startFaultyServer } from './faulty-server.ts';
export { describeHosts, describeSystemdHosts, rigProblem } from './problem.ts';
export { type DelayProxy, startProxy } from './proxy.ts';
export { addUser, type RigUser, type SudoKind } from './users.ts';

/** How the hosts of a rig are made. */
export interface RigOptions {
  readonly hosts?: number;
  /** More lines for sshd_config, such as `MaxSessions 2`. */
  readonly sshd?: readonly string[];
  /** Types of host keys. Default ed25519. */
  readonly hostKeys?: readonly HostKeyType[];
  /** What its first process is. Default a shell. */
  readonly init?: InitKind;
}

/** A kind of host key. */
export type HostKeyType = 'ed25519' | 'ecdsa' | 'rsa';

/** Some hosts, and the keys to them. */
export interface Rig {
  readonly hosts: readonly RigHost[];
  /** A directory that is removed with the rig. */
  readonly dir: string;
  /** A private key that root of every host lets in. */
  readonly key: string;
  close(): Promise<void>;
}

/** Starts hosts: each a real sshd on a loopback port, with its own files, processes and name. */
export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const dir = await mkdtemp(join(tmpdir(), 'kx-rig-'));
  const key = join(dir, 'id_ed25519');
  await writeKey(key, 'ed25519', 'root');
  const hosts: RigHost[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(hosts.map((host) => host.close()));
    await rm(dir, { recursive: true, force: true });
  };
  try {
    const names = Array.from({ length: options.hosts ?? 1 }, (_, i) => `host${i + 1}`);
    const started = await Promise.allSettled(names.map((name) => RigHost.start(name, dir, key, options)));
    hosts.push(...started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
    for (const one of started) if (one.status === 'rejected') throw one.reason;
    return { hosts, dir, key, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** One host of a rig. */
export class RigHost {
  readonly name: string;
  readonly port: number;
  readonly dir: string;
  readonly #key: string;
  readonly #init: HostInit;
  readonly #pid: number;
  readonly #types: readonly HostKeyType[];
  #sshd: ChildProcess | undefined;
  #installed = 0;

  private constructor(made: {
    name: string;
    dir: string;
    key: string;
    port: number;
    init: HostInit;
    types: readonly HostKeyType[];
  }) {
    this.name = made.name;
    this.dir = made.dir;
    this.port = made.port;
    this.#key = made.key;
    this.#init = made.init;
    this.#pid = made.init.pid;
    this.#types = made.types;
  }

  static async start(name: string, rigDir: string, key: string, options: RigOptions): Promise<RigHost> {
    const dir = join(rigDir, name);
    await mkdir(join(dir, 'box'), { recursive: true, mode: 0o700 });
    const port = await freePort();
    const init = await startInit(name, join(dir, 'box'), options.init ?? 'shell');
    const host = new RigHost({ name, dir, key, port, init, types: options.hostKeys ?? ['ed25519'] });
    try {
      await host.#configure(options.sshd ?? []);
      await host.restart();
      return host;
    } catch (error) {
      await host.close();
      throw error;
    }
  }

  /** How kubexm logs in here. */
  target(changes: Partial<Target> = {}): Target {
    return {
      name: this.name,
      address: '127.0.0.1',
      port: this.port,
      user: 'root',
      auth: { privateKeyPath: this.#key },
      hostKeys: { pinFile: join(this.dir, 'known_hosts') },
      bastions: [],
      ...changes,
    };
  }

  /** Where one of its files is for this process. */
  path(inside: string): string {
    return join(`/proc/${this.#pid}/root`, inside);
  }

  /** Runs a script there as root, without SSH, and returns what it printed. */
  async exec(script: string): Promise<string> {
    const { code, stdout, stderr } = await runSmall(
      sh`unset TMPDIR
exec nsenter -t ${this.#pid} -m -u -p -r -w /bin/sh -c ${script}`.script,
    );
    if (code !== 0) throw Object.assign(new Error(`it ended with ${code}: ${script}\n${stderr}`), { code, stderr });
    return stdout.toString();
  }

  /** Its host keys, as known_hosts has them: `type base64`. */
  async publicHostKey(type: HostKeyType = 'ed25519'): Promise<string> {
    const text = await readFile(this.path(`/etc/ssh/kx_${type}.pub`), 'utf8');
    return text.split(' ').slice(0, 2).join(' ').trim();
  }

  /** Makes other host keys, as a reinstalled machine has. */
  async newHostKeys(): Promise<void> {
    await this.#makeHostKeys();
  }

  /** Cuts all connections: what runs on the host goes on. */
  async cutConnections(): Promise<void> {
    await this.exec(CUT);
  }

  /** The host vanishes from the network: no sshd, no sessions. What runs on it goes on. */
  async stop(): Promise<void> {
    const sshd = this.#sshd;
    if (!sshd) return;
    this.#sshd = undefined;
    const gone = new Promise((resolve) => sshd.once('exit', resolve));
    await this.exec(`kill -9 "$(cat ${PID_FILE})" && rm ${PID_FILE}`);
    await gone;
    await this.exec(CUT);
  }

  /** The host answers again, with the same keys and files. */
  async restart(): Promise<void> {
    await this.stop();
    const enter = ['-t', String(this.#pid), '-m', '-u', '-p', '-r', '-w'];
    const sshd = spawn('nsenter', [...enter, '/usr/sbin/sshd', '-D', '-E', LOG, '-f', '/etc/ssh/kx_sshd_config'], {
      stdio: ['ignore', 'ignore', 'ignore'],
      env: hostEnv(),
    });
    this.#sshd = sshd;
    const failed = new Promise<never>((_resolve, reject) => {
      sshd.once('exit', () => {
        void readFile(this.path(LOG), 'utf8').then(
          (log) => reject(new Error(`sshd ended: ${log.slice(-500)}`)),
          reject,
        );
      });
    });
    failed.catch(() => undefined);
    await Promise.race([waitForPort(this.port), failed]);
    for (const deadline = Date.now() + 10_000; !hasText(this.path(PID_FILE)) && Date.now() < deadline; ) await sleep(5);
  }

  async #configure(lines: readonly string[]): Promise<void> {
    await this.#hurryPasswords();
    await mkdir(this.path('/root/.ssh'), { mode: 0o700 });
    await writeFile(this.path('/root/.ssh/authorized_keys'), await readFile(`${this.#key}.pub`), { mode: 0o600 });
    await this.#makeHostKeys();
    const config = [
      `Port ${this.port}`,
      'ListenAddress 127.0.0.1',
      ...this.#types.map((type) => `HostKey /etc/ssh/kx_${type}`),
      `PidFile ${PID_FILE}`,
      'PermitRootLogin yes',
      'StrictModes no',
      'MaxStartups 100',
      'UseDNS no',
      'Subsystem sftp internal-sftp',
      ...lines,
    ];
    await writeFile(this.path('/etc/ssh/kx_sshd_config'), `${config.join('\n')}\n`);
  }

  async #makeHostKeys(): Promise<void> {
    const owner = `${this.name}.${this.#installed++}`;
    for (const type of this.#types) await writeKey(this.path(`/etc/ssh/kx_${type}`), type, owner);
  }

  /** Who gives a wrong password need not wait for the answer. */
  async #hurryPasswords(): Promise<void> {
    const dir = this.path('/etc/pam.d');
    for (const entry of await readdir(dir, { withFileTypes: true })) {
      // A link may lead to this machine's own.
      if (!entry.isFile()) continue;
      const { name } = entry;
      const text = await readFile(join(dir, name), 'utf8');
      const quick = text.replace(/^auth.*pam_unix.*$/gm, '$& nodelay');
      if (quick !== text) await writeFile(join(dir, name), quick);
    }
  }

  /** Ends everything on it. */
  close(): Promise<void> {
    return this.#init.close();
  }
}

/** What programs there are started with: the temporary directory of the tests is none of the host's. */
function hostEnv(): NodeJS.ProcessEnv {
  const { TMPDIR: _, ...env } = process.env;
  return env;
}

const keys = new Map<string, Promise<string>>();

/** Writes the key of somebody, and beside it the public one. The same name has the same key in all rigs of this process. */
async function writeKey(path: string, type: HostKeyType, owner: string): Promise<void> {
  const name = `${owner}.${type}`;
  const made = keys.get(name) ?? makeKey(type);
  keys.set(name, made);
  const [secret = '', open = ''] = (await made).split(BETWEEN);
  await writeFile(path, secret, { mode: 0o600 });
  await writeFile(`${path}.pub`, open);
}

const BETWEEN = 'and the public one:\n';

async function makeKey(type: HostKeyType): Promise<string> {
  const bits = type === 'rsa' ? ['-b', '2048'] : [];
  const { stdout, stderr } = await runSmall(
    sh`dir=$(mktemp -d) && ssh-keygen -q -t ${type} ${bits} -N '' -f "$dir/key" && cat "$dir/key" &&
printf %s ${BETWEEN} && cat "$dir/key.pub"; rm -rf "$dir"`.script,
  );
  if (!stdout.includes(BETWEEN)) throw new Error(`no key: ${stderr}`);
  return stdout.toString();
}

const LOG = '/var/log/kx-sshd.log';
const PID_FILE = '/run/kx-sshd.pid';

/** Kills the processes that serve connections, not what they started. */
const CUT = String.raw`
for stat in /proc/[0-9]*/stat; do
  read -r line <"$stat" 2>/dev/null || continue
  pid=${'$'}{line%% *}
  case $line in *"(sshd)"* | *"(sshd-session)"* | *"(sshd-auth)"*) ;; *) continue ;; esac
  case $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null) in *'-D -E '* | *listener*) ;; *) kill -9 "$pid" ;; esac
done 2>/dev/null
true
`;

function hasText(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** A port that nobody uses now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function waitForPort(port: number): Promise<void> {
  for (const deadline = Date.now() + 10_000; ; ) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    if (Date.now() > deadline) throw new Error(`nothing listens on port ${port}`);
    await sleep(20);
  }
}
