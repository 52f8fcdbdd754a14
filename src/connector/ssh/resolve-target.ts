import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { kubexmError } from '../../model/errors/index.ts';
import type { Auth, HostKeys, Target } from '../target.ts';
import { readSshSettings, type SshConfigContext, type SshSettings } from './ssh-config.ts';

/** A machine as it was named; what is missing comes from ssh_config and OpenSSH's own defaults. */
export interface TargetSpec {
  readonly name: string;
  /** An address, or a name that ssh_config knows. */
  readonly address: string;
  readonly port?: number;
  readonly user?: string;
  /** Who logs in when nobody says. Default: the user who runs this. */
  readonly defaultUser?: string;
  readonly auth?: Auth;
  readonly hostKeys: HostKeys;
  readonly hostKey?: readonly string[];
  /** Given ones take the place of ProxyJump. */
  readonly bastions?: readonly Target[];
}

/** The usual places of the person who runs this. */
export function defaultSshConfig(env: Readonly<Record<string, string | undefined>> = process.env): SshConfigContext {
  const home = env['HOME'] || homedir();
  return { files: [join(home, '.ssh/config'), '/etc/ssh/ssh_config'], home, localUser: userInfo().username, env };
}

/** Completes a target as `ssh` would. */
export function resolveTarget(spec: TargetSpec, context: SshConfigContext): Promise<Target> {
  return resolve(spec, context, 0);
}

async function resolve(spec: TargetSpec, context: SshConfigContext, depth: number): Promise<Target> {
  const settings = await readSshSettings(spec.address, context, spec.user === undefined ? {} : { user: spec.user });
  const file = context.files[0] ?? 'ssh_config';
  const own = spec.bastions !== undefined || settings.proxyJump.length > 0;
  if (settings.proxyCommand !== undefined && !own) {
    throw kubexmError('KX3017', { file, detail: `ProxyCommand for ${spec.address} is not supported; use ProxyJump` });
  }
  if (depth > 8) throw kubexmError('KX3017', { file, detail: `ProxyJump of ${spec.address} goes round in circles` });
  return {
    name: spec.name,
    address: settings.hostName,
    port: spec.port ?? settings.port ?? 22,
    user: spec.user ?? settings.user ?? spec.defaultUser ?? context.localUser,
    auth: authOf(spec.auth ?? {}, settings, context),
    hostKeys: hostKeysOf(spec.hostKeys, settings, context),
    ...(spec.hostKey !== undefined && { hostKey: spec.hostKey }),
    ...(settings.hostKeyAlias !== undefined && { hostKeyAlias: settings.hostKeyAlias }),
    bastions: spec.bastions ?? (await jumps(spec, settings, context, depth)),
  };
}

/** The first hop may have hops of its own; the others are reached through the one before. */
async function jumps(
  spec: TargetSpec,
  settings: SshSettings,
  context: SshConfigContext,
  depth: number,
): Promise<Target[]> {
  const chain: Target[] = [];
  for (const [index, jump] of settings.proxyJump.entries()) {
    const { user, host, port } = parseJump(jump, context);
    const hop = await resolve(
      {
        name: host,
        address: host,
        hostKeys: spec.hostKeys,
        auth: askingOf(spec.auth),
        ...(user !== undefined && { user }),
        ...(port !== undefined && { port }),
        ...(index > 0 && { bastions: [] }),
      },
      context,
      depth + 1,
    );
    chain.push(...hop.bastions, { ...hop, bastions: [] });
  }
  return chain;
}

/** A hop has a login of its own; only whom to ask for its keys is the same. */
function askingOf({ askPassphrase, keys }: Auth = {}): Auth {
  return { ...(askPassphrase && { askPassphrase }), ...(keys && { keys }) };
}

/** `[ssh://][user@]host[:port]`, an IPv6 address in brackets. */
function parseJump(jump: string, context: SshConfigContext): { user?: string; host: string; port?: number } {
  const match = jump.match(/^(?:ssh:\/\/)?(?:([^@]+)@)?(\[[^\]]+\]|[^:]+)(?::(\d+))?$/);
  if (!match) {
    throw kubexmError('KX3017', { file: context.files[0] ?? 'ssh_config', detail: `ProxyJump ${jump} makes no sense` });
  }
  const [, user, host = '', port] = match;
  return {
    host: host.replace(/^\[|\]$/g, ''),
    ...(user !== undefined && { user }),
    ...(port !== undefined && { port: Number(port) }),
  };
}

function authOf(given: Auth, settings: SshSettings, context: SshConfigContext): Auth {
  const defaults = ['id_ed25519', 'id_ecdsa', 'id_rsa'].map((name) => join(context.home, '.ssh', name));
  const identityFiles = given.identityFiles ?? (settings.identityFiles.length > 0 ? settings.identityFiles : defaults);
  const agent = given.agent ?? settings.identityAgent ?? context.env['SSH_AUTH_SOCK'];
  const identitiesOnly = given.identitiesOnly ?? settings.identitiesOnly;
  return { ...given, identityFiles, identitiesOnly, ...(agent !== undefined && agent !== '' && { agent }) };
}

function hostKeysOf(given: HostKeys, settings: SshSettings, context: SshConfigContext): HostKeys {
  const defaults = [join(context.home, '.ssh/known_hosts'), join(context.home, '.ssh/known_hosts2')];
  const files = given.files ?? [...(settings.knownHostsFiles ?? defaults), '/etc/ssh/ssh_known_hosts'];
  return { ...given, files, policy: given.policy ?? (settings.strict ? 'strict' : 'accept-new') };
}
