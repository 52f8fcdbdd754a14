import type { Effect } from '../model/effect.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Wanted } from '../plan/ref.ts';
import { dedicated } from '../plan/step.ts';
import { containerdUnit } from '../templates/containerd.ts';
import { directory, file, restartWhenUndone, service } from './generic/index.ts';

/** Where containerd and its parts lie. */
export const CONTAINERD = {
  program: '/usr/local/bin/containerd',
  config: '/etc/containerd/config.toml',
  registries: '/etc/containerd/certs.d',
  unit: '/etc/systemd/system/containerd.service',
  data: '/var/lib/containerd',
} as const;

/** What the configuration of containerd depends on. */
export interface ContainerdSettings {
  readonly version: string;
  readonly dataDir: string;
  /** The image of the container that holds a pod's namespaces. */
  readonly sandboxImage: string;
  /** The machine cannot lower oom scores: containerd must not ask for it, or no pod starts. */
  readonly restrictOomScore: boolean;
}

/** Where a registry is asked. */
interface Endpoint {
  readonly url: string;
  readonly skipVerify: boolean;
}

/** A registry that containerd does not reach in the usual way. */
export interface RegistryHost {
  /** `docker.io`, `registry.example.com:5000` */
  readonly host: string;
  /** In this order. */
  readonly endpoints: readonly Endpoint[];
}

/** What a cluster says about how registries are reached. */
export interface RegistryRules {
  /** Of Docker Hub, with or without `https://` or `http://`. */
  readonly registryMirrors: readonly string[];
  readonly insecureRegistries: readonly string[];
  readonly auths: Readonly<Record<string, { readonly plainHTTP: boolean; readonly skipTLSVerify: boolean }>>;
}

const DOCKER_HUB = 'docker.io';

/** Notes how containerd is before its files change: one that was there before runs with its old files after a reset. */
export const noteContainerd = dedicated(
  'note',
  restartWhenUndone,
  'Note how containerd is before its files change.',
  () => restartWhenUndone({ unit: 'containerd' }),
);

/** A directory that parts of the runtime lie in. */
export const runtimeDirectory = dedicated(
  'directory',
  directory,
  'A directory of the container runtime.',
  (params: { readonly path: string }) => directory({ path: params.path, mode: '0755', owner: 'root:root' }),
);

/** The configuration of containerd, in the version of its format. */
export const containerdConfig = dedicated(
  'config',
  file,
  'The configuration of containerd.',
  (settings: ContainerdSettings) =>
    file({ path: CONTAINERD.config, content: { toml: configOf(settings) }, mode: '0644', owner: 'root:root' }),
);

/** How one registry is reached. containerd reads it with every pull. */
export const containerdRegistry = dedicated(
  'registry',
  file,
  'How containerd reaches a registry: mirrors, plain HTTP, certificates that are not checked.',
  (registry: RegistryHost) =>
    file({
      path: `${CONTAINERD.registries}/${registry.host}/hosts.toml`,
      content: { toml: hostsOf(registry) },
      mode: '0644',
      owner: 'root:root',
    }),
);

/** The unit of containerd. */
export const containerdUnitFile = dedicated(
  'unit',
  file,
  'The unit of containerd.',
  (params: { readonly restrictOomScore: boolean }) =>
    file({
      path: CONTAINERD.unit,
      content: {
        template: containerdUnit,
        values: {
          program: CONTAINERD.program,
          config: CONTAINERD.config,
          oomScore: params.restrictOomScore ? '' : 'OOMScoreAdjust=-999\n',
        },
      },
      mode: '0644',
      owner: 'root:root',
    }),
);

/** containerd itself, started with the files that are there now. */
export const containerdService = dedicated(
  'service',
  service,
  'containerd, enabled and running with the files that are there now.',
  (params: { readonly effects: readonly Effect[]; readonly fingerprint: Wanted<Json> }) =>
    service({
      unit: 'containerd',
      enabled: true,
      running: 'started',
      settleSeconds: 1,
      fingerprint: params.fingerprint,
      reads: [CONTAINERD.config, CONTAINERD.unit, CONTAINERD.program],
      effects: params.effects,
    }),
);

/** How crictl finds containerd. */
export const crictlConfig = dedicated(
  'crictl',
  file,
  'How crictl finds the container runtime.',
  (params: { readonly socket: string }) =>
    file({
      path: '/etc/crictl.yaml',
      content: {
        yaml: {
          'runtime-endpoint': `unix://${params.socket}`,
          'image-endpoint': `unix://${params.socket}`,
          timeout: 10,
        },
      },
      mode: '0644',
      owner: 'root:root',
    }),
);

/** Format 2 is for 1.7, 3 for 2.0 and later, where the parts of CRI have names of their own. Defaults are not written. */
function configOf({ version, dataDir, sandboxImage, restrictOomScore }: ContainerdSettings): JsonObject {
  const runc = { runtime_type: 'io.containerd.runc.v2', options: { SystemdCgroup: true } };
  const containerd = { default_runtime_name: 'runc', runtimes: { runc } };
  const registry = { config_path: CONTAINERD.registries };
  const common = { root: dataDir, state: '/run/containerd' };
  if (version.startsWith('1.')) {
    const cri = { sandbox_image: sandboxImage, restrict_oom_score_adj: restrictOomScore, containerd, registry };
    return { version: 2, ...common, plugins: { 'io.containerd.grpc.v1.cri': cri } };
  }
  return {
    version: 3,
    ...common,
    plugins: {
      'io.containerd.cri.v1.images': { pinned_images: { sandbox: sandboxImage }, registry },
      'io.containerd.cri.v1.runtime': { restrict_oom_score_adj: restrictOomScore, containerd },
    },
  };
}

/** The registries that are not reached in the usual way, each of them once. */
export function registryHosts(rules: RegistryRules): readonly RegistryHost[] {
  const { registryMirrors: mirrors, insecureRegistries: insecure, auths } = rules;
  const odd = Object.keys(auths).filter((host) => auths[host]?.plainHTTP || auths[host]?.skipTLSVerify);
  const own = new Set([...insecure, ...odd]);
  const hosts = new Set([...(mirrors.length === 0 ? [] : [DOCKER_HUB]), ...own]);
  return [...hosts].map((host) => ({
    host,
    endpoints: unique([
      ...(host === DOCKER_HUB ? mirrors.flatMap((mirror) => mirrorEndpoints(mirror, rules)) : []),
      ...(own.has(host) ? endpointsOf(host, rules) : []),
    ]),
  }));
}

/** A mirror is reached as the registry that it is. What the user has written before its name is what is spoken. */
function mirrorEndpoints(mirror: string, rules: RegistryRules): readonly Endpoint[] {
  const [, scheme, host = ''] = /^(https?:\/\/)?(.*?)\/?$/.exec(mirror) ?? [];
  const endpoints = endpointsOf(host, rules);
  if (scheme === undefined) return endpoints;
  const spoken = endpoints.filter(({ url }) => url.startsWith(scheme));
  return spoken.length > 0 ? spoken : [{ url: scheme + host, skipVerify: false }];
}

/** An insecure registry may have a certificate that nobody knows, or none; a login says which. */
function endpointsOf(host: string, { insecureRegistries, auths }: RegistryRules): readonly Endpoint[] {
  const server = serverOf(host);
  const { plainHTTP = false, skipTLSVerify = false } = auths[host] ?? {};
  const plain = { url: `http://${server}`, skipVerify: false };
  if (plainHTTP) return [plain];
  const insecure = insecureRegistries.includes(host);
  const checked = !insecure && !skipTLSVerify;
  return [{ url: `https://${server}`, skipVerify: !checked }, ...(insecure && !skipTLSVerify ? [plain] : [])];
}

function unique(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return [...new Map(endpoints.map((endpoint) => [endpoint.url, endpoint])).values()];
}

/** Docker Hub has its images elsewhere than its name. */
function serverOf(host: string): string {
  return host === DOCKER_HUB ? 'registry-1.docker.io' : host;
}

function hostsOf({ host, endpoints }: RegistryHost): JsonObject {
  const entries = endpoints.map(({ url, skipVerify }) => [
    url,
    { capabilities: ['pull', 'resolve'], ...(skipVerify ? { skip_verify: true } : {}) },
  ]);
  return { server: `https://${serverOf(host)}`, host: Object.fromEntries(entries) };
}
