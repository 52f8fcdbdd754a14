import { homedir } from 'node:os';
import {
  type Auth,
  defaultSshConfig,
  type HostKeys,
  type KeyRing,
  resolveTarget,
  type Target,
  type TargetSpec,
} from '../host/index.ts';
import { SSH_DEFAULTS, type SshHop, type SshLogin } from '../model/cluster/cluster.ts';
import type { ClusterHost } from '../model/cluster/index.ts';
import type { Secret } from '../model/cluster/secret.ts';

/** What the command line says about logging in; wins over the file. */
export interface SshOverrides {
  readonly user?: string;
  readonly privateKeyPath?: string;
}

/** Where secrets, pinned host keys and answers come from. */
export interface LoginSources {
  readonly secrets: ReadonlyMap<string, string>;
  /** The cluster's own known_hosts. */
  readonly pinFile: string;
  readonly overrides: SshOverrides;
  readonly env: NodeJS.ProcessEnv;
  /** Keys that were opened already. */
  readonly keys: KeyRing;
  readonly askPassphrase: Auth['askPassphrase'];
  /** Asks about host keys, and hears of those that were pinned. */
  readonly hostKeys: Pick<HostKeys, 'ask' | 'onPinned'>;
}

/** How a host is logged in to: the command line, then the file, then `~/.ssh/config`, then the usual. */
export async function targetOf(host: ClusterHost, sources: LoginSources): Promise<Target> {
  const { sshConfig } = host.ssh;
  const usual = defaultSshConfig(sources.env);
  const files = sshConfig === undefined ? usual.files : sshConfig === 'none' ? [] : [inHome(sshConfig, sources.env)];
  const context = { ...usual, files };
  const { hostKeyPolicy: policy } = host.ssh;
  const hostKeys: HostKeys = {
    ...sources.hostKeys,
    pinFile: sources.pinFile,
    ...(policy === undefined ? {} : { policy }),
  };
  const spec = (name: string, address: string, login: SshLogin & Pick<SshHop, 'hostKey'>): TargetSpec => ({
    name,
    address,
    defaultUser: SSH_DEFAULTS.user,
    auth: authOf(login, sources),
    hostKeys,
    ...(login.hostKey === undefined ? {} : { hostKey: login.hostKey }),
    ...(login.port === undefined ? {} : { port: login.port }),
    ...(login.user === undefined ? {} : { user: login.user }),
  });
  const hops = host.ssh.bastions.map((hop) =>
    resolveTarget({ ...spec(hop.address, hop.address, hop), bastions: [] }, context),
  );
  const bastions = await Promise.all(hops);
  const target = spec(host.name, host.address, { ...host.ssh, ...sources.overrides });
  return resolveTarget(bastions.length > 0 ? { ...target, bastions } : target, context);
}

function authOf(login: SshLogin, { secrets, env, keys, askPassphrase }: LoginSources): Auth {
  const textOf = (secret: Secret | undefined) => (secret === undefined ? undefined : secrets.get(secret.at));
  const password = textOf(login.password);
  const passphrase = textOf(login.privateKeyPassphrase);
  const privateKey = textOf(login.privateKey);
  return {
    ...(password === undefined ? {} : { password }),
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(privateKey === undefined ? {} : { privateKey }),
    ...(login.privateKeyPath === undefined ? {} : { privateKeyPath: inHome(login.privateKeyPath, env) }),
    ...(askPassphrase && { askPassphrase }),
    keys,
  };
}

/** A path of the user, in which `~` is the home. */
export function inHome(path: string, env: NodeJS.ProcessEnv): string {
  return path.replace(/^~(?=\/)/, env['HOME'] ?? homedir());
}
