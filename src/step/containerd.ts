import { cleanPath } from '../model/cluster/data-directory.ts';
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
  socket: '/run/containerd/containerd.sock',
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

/** A registry that containerd does not reach in the usual way. */
export interface RegistryHost {
  /** `docker.io`, `registry.example.com:5000` */
  readonly host: string;
  /** Where it is asked, in this order. */
  readonly endpoints: readonly { readonly url: string; readonly skipVerify: boolean }[];
}

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
  (params: { readonly dataDir: string; readonly fingerprint: Wanted<Json> }) =>
    service({
      unit: 'containerd',
      enabled: true,
      running: 'started',
      settleSeconds: 1,
      fingerprint: params.fingerprint,
      reads: [CONTAINERD.config, CONTAINERD.unit, CONTAINERD.program],
      effects: [
        ...dataEffects(params.dataDir),
        { type: 'mounts', below: '/run/containerd' },
        { type: 'path', path: '/run/containerd' },
        { type: 'path', path: '/opt/containerd' },
        { type: 'path', path: '/etc/cni' },
        { type: 'path', path: '/etc/cni/net.d' },
      ],
    }),
);

/**
 * What containerd makes in its data directory. The usual one is its own. One that the user has chosen may be anybody's: there only
 * what is known by its name belongs to containerd.
 */
function dataEffects(dir: string): readonly Effect[] {
  const path = cleanPath(dir);
  const mode: Effect = { type: 'mode', path };
  if (path === CONTAINERD.data) return [{ type: 'mounts', below: path }, { type: 'path', path }, mode];
  return [
    { type: 'paths', prefix: `${path}/io.containerd.` },
    { type: 'mounts', below: `${path}/tmpmounts` },
    { type: 'path', path: `${path}/tmpmounts` },
    { type: 'directory', path },
    mode,
  ];
}

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

function hostsOf({ host, endpoints }: RegistryHost): JsonObject {
  const server = host === 'docker.io' ? 'https://registry-1.docker.io' : `https://${host}`;
  const entries = endpoints.map(({ url, skipVerify }) => [
    url,
    { capabilities: ['pull', 'resolve'], ...(skipVerify ? { skip_verify: true } : {}) },
  ]);
  return { server, host: Object.fromEntries(entries) };
}
