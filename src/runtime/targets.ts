import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Auth, Target } from '../connector/index.ts';
import { SSH_DEFAULTS, type SshLogin } from '../model/cluster/cluster.ts';
import type { ClusterHost } from '../model/cluster/index.ts';
import type { Secret } from '../model/cluster/secret.ts';

/** What the command line says about logging in; wins over the file. */
export interface SshOverrides {
  readonly user?: string;
  readonly privateKeyPath?: string;
}

type Secrets = ReadonlyMap<string, string>;

/** How a host is logged in to: the command line, then the file, then `~/.ssh/config`, then the usual. */
export async function targetOf(
  host: ClusterHost,
  secrets: Secrets,
  pinFile: string,
  options: {
    readonly ssh?: SshOverrides;
    readonly env: NodeJS.ProcessEnv;
    readonly ask?: (question: { readonly text: string; readonly secret: true }) => Promise<string>;
  },
): Promise<Target> {
  const { ask, env, ssh = {} } = options;
  const home = env['HOME'] ?? homedir();
  const authOf = (login: SshLogin): Auth => ({
    agent: true,
    ...keyOf(login, secrets, home),
    ...definedSecret('password', login.password, secrets),
    ...definedSecret('passphrase', login.privateKeyPassphrase, secrets),
    ...(ask && { askPassphrase: (file: string) => ask({ text: `Passphrase of ${file}`, secret: true }) }),
  });
  const reach = (name: string, address: string, login: SshLogin, bastions: readonly Target[]): Target => ({
    name,
    address,
    port: login.port ?? SSH_DEFAULTS.port,
    user: login.user ?? SSH_DEFAULTS.user,
    auth: authOf(login),
    hostKeys: { pinFile, files: [join(home, '.ssh', 'known_hosts')] },
    bastions,
  });
  const hops = host.ssh.bastions.map((hop) => reach(hop.address, hop.address, hop, []));
  return reach(host.name, host.address, { ...host.ssh, ...ssh }, hops);
}

function keyOf(login: SshLogin, secrets: Secrets, home: string): Partial<Auth> {
  const key = login.privateKey && secrets.get(login.privateKey.at);
  const path = login.privateKeyPath?.replace(/^~(?=\/)/, home);
  if (key !== undefined) return { privateKey: key };
  if (path !== undefined) return { privateKeyPath: path };
  return { identityFiles: ['id_ed25519', 'id_ecdsa', 'id_rsa'].map((name) => join(home, '.ssh', name)) };
}

function definedSecret<K extends 'password' | 'passphrase'>(
  name: K,
  secret: Secret | undefined,
  secrets: Secrets,
): { [P in K]?: string } {
  const text = secret && secrets.get(secret.at);
  return (text === undefined ? {} : { [name]: text }) as { [P in K]?: string };
}
