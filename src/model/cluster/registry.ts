import { z } from 'zod';
import { alias, choice, free, line, oneOrMany, port, refuse, secret, section, textWhere } from './field.ts';
import { isRegistryHost } from './names.ts';
import { absolutePath, dataDirectory, registryHost, version } from './text.ts';

const mirror = () => textWhere((text) => isRegistryHost(text.replace(/^https?:\/\//, '').replace(/\/$/, '')), 'KX2330');

const optionalHost = () =>
  z.string().check((payload) => {
    const { value } = payload;
    if (value !== '' && !isRegistryHost(value)) refuse(payload, 'KX2330', { value });
  });

const auth = z.strictObject({
  username: line().optional().describe('User of the registry.'),
  password: secret().optional().describe('Password or token of the user.'),
  skipTLSVerify: z.boolean().default(false).describe('Accept any certificate.'),
  plainHTTP: z.boolean().default(false).describe('Speak HTTP, not HTTPS.'),
  certsPath: absolutePath().optional().describe('Directory of *.crt, *.cert and *.key files for this registry.'),
});

const harbor = z.strictObject({
  version: version().optional().describe('Version of Harbor.'),
  httpPort: port().default(80).describe('HTTP port.'),
  httpsPort: port().default(443).describe('HTTPS port.'),
  adminPassword: secret().optional().describe('Password of the user admin. Default: one is made.'),
  databasePassword: secret().optional().describe('Password of the database. Default: one is made.'),
  dataVolume: dataDirectory().optional().describe('Data directory. Default: registryDataDir.'),
  values: free().describe('More fields of harbor.yml.'),
});

/** `spec.registry`. */
export const registrySchema = section({
  type: choice(['', 'registry', 'harbor', 'external', 'none'])
    .default('')
    .describe(
      'What to install on the registry host; external uses one that exists. Default: registry if there is such a host, else none.',
    ),
  version: version().optional().describe('Version of the registry.'),
  privateRegistry: optionalHost().optional().describe('Name of the registry that images come from.'),
  namespaceOverride: z.string().default('').describe('Project of the registry that holds all images.'),
  auths: z.record(registryHost(), auth).default({}).describe('Logins by registry host.'),
  registryMirrors: oneOrMany(mirror()).default([]).describe('Mirrors of Docker Hub.'),
  insecureRegistries: oneOrMany(registryHost()).default([]).describe('Registries without trusted TLS.'),
  containerdDataDir: dataDirectory().default('/var/lib/containerd').describe('Data directory of containerd.'),
  dockerDataDir: dataDirectory().default('/var/lib/docker').describe('Data directory of docker.'),
  registryDataDir: dataDirectory().default('/mnt/registry').describe('Data directory of the registry.'),
  harborConfig: alias(harbor.optional(), 'harbor').describe('Settings of Harbor.'),
}).describe('The image registry.');
