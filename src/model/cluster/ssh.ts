import { z } from 'zod';
import { alias, choice, int, line, marked, oneOrMany, port, secret } from './field.ts';
import { hostAddress, hostKey, nodeName, userName } from './text.ts';

/** Nobody goes through more machines than this. */
const MAX_HOPS = 10;

/** A machine has a key of each type, and may be changing them. */
const MAX_HOST_KEYS = 20;

/** The host keys of one machine. */
export const hostKeyField = () => ({
  hostKey: oneOrMany(hostKey(), MAX_HOST_KEYS)
    .optional()
    .describe(
      'The only host keys to trust: fingerprints (SHA256:…) or public keys (ssh-ed25519 AAAA…). Default: known_hosts and ssh.hostKeyPolicy.',
    ),
});

/** How a login is made, for a host, a bastion or all hosts. */
const login = () => ({
  user: userName().optional().describe('User that logs in. Default: what ~/.ssh/config says, else root.'),
  port: port().optional().describe('Port of the SSH server. Default: what ~/.ssh/config says, else 22.'),
  password: secret().optional().describe('Password of the user: env:NAME, file:/path or prompt.'),
  privateKeyPath: line()
    .optional()
    .describe('Private key on the machine kubexm runs on. Default: the agent, then the usual files in ~/.ssh.'),
  privateKey: secret().optional().describe('The private key itself, best as env:NAME or file:/path.'),
  privateKeyPassphrase: alias(secret().optional(), 'passphrase').describe('Passphrase of an encrypted private key.'),
});

const hop = marked(
  z.strictObject({
    host: nodeName().optional().describe('A host of spec.hosts that serves as bastion, with its own login.'),
    address: hostAddress().optional().describe('Address or name of a bastion that is not in spec.hosts.'),
    ...login(),
    ...hostKeyField(),
  }),
  { shorthand: 'host' },
);

/** Login settings that a host and the defaults for all hosts share. */
export const sshFields = () => ({
  ...login(),
  sudoPassword: alias(secret().optional(), 'becomePassword').describe(
    'Password that sudo asks for. Default: none is needed.',
  ),
  bastion: alias(oneOrMany(hop, MAX_HOPS).optional(), 'bastions').describe(
    'Machines to go through, in this order: names of hosts, or mappings with address, user and key. [] for none.',
  ),
});

/** `spec.ssh`. */
export const sshSchema = z
  .strictObject({
    ...sshFields(),
    sshConfig: line()
      .optional()
      .describe('OpenSSH client configuration to read; none to read none. Default: ~/.ssh/config'),
    hostKeyPolicy: choice(['strict', 'accept-new', 'ask'])
      .optional()
      .describe(
        'What happens to a host key that is not known: strict refuses it, accept-new pins it and shows its fingerprint, ask asks at the terminal. A changed key is always refused. Default: strict where ~/.ssh/config says StrictHostKeyChecking yes, else accept-new.',
      ),
    connectTimeoutSeconds: int(1, 600).default(15).describe('How long one attempt to connect may take.'),
  })
  .prefault({})
  .describe('Login settings for all hosts; a host may say otherwise.');
