import { cleanPath } from '../model/cluster/data-directory.ts';
import type { Effect } from '../model/effect.ts';
import { sh } from '../model/script.ts';
import type { RuntimeComponent } from './description.ts';
import { besideRuntime, nodesIn, wantedRuntime } from './hosts.ts';

/** Where it keeps images and containers unless the user has chosen another directory. */
const USUAL_DATA = '/var/lib/containerd';

/** What containerd keeps of what runs; and in it, what is of pods. */
const RUN = '/run/containerd';
const POD_PLACES = [`${RUN}/io.containerd.runtime.v2.task/k8s.io`, `${RUN}/io.containerd.grpc.v1.cri`];

/** containerd with runc: the default container runtime. */
export const containerd: RuntimeComponent = {
  name: 'containerd',
  kind: 'runtime',
  isUsed: ({ spec }) => spec.kubernetes.containerRuntime.type === 'containerd',
  tasks: ['runtime/containerd'],
  fields: [
    'spec.kubernetes.containerRuntime.type=containerd',
    'spec.kubernetes.containerRuntime.version',
    'spec.kubernetes.containerRuntime.containerd.**',
    'spec.registry.containerdDataDir',
    'spec.registry.registryMirrors.**',
    'spec.registry.insecureRegistries.**',
    'spec.registry.auths.*.plainHTTP',
    'spec.registry.auths.*.skipTLSVerify',
  ],
  // Each node has registered with the socket of its runtime; another directory has none of the running containers.
  fixed: ['spec.kubernetes.containerRuntime.type', 'spec.registry.containerdDataDir'],
  catalog: (cluster) => {
    const hosts = nodesIn(cluster);
    return [
      { component: 'containerd', hosts, files: ['containerd'], ...wantedRuntime(cluster) },
      { component: 'runc', hosts, files: ['runc'] },
      ...besideRuntime(cluster),
    ];
  },
  modules: () => [{ name: 'overlay', purpose: 'containerd' }],
  unit: 'containerd.service',
  socket: '/run/containerd/containerd.sock',
  process: 'containerd',
  dataDir: ({ spec }) => spec.registry.containerdDataDir,
  runtimeEffects: ({ spec }) => [
    ...dataEffects(cleanPath(spec.registry.containerdDataDir)),
    // Others who use nerdctl or docker have their containers in other namespaces of containerd.
    ...POD_PLACES.flatMap((path) => [{ type: 'mounts', below: path } as const, { type: 'path', path } as const]),
    { type: 'path', path: RUN },
    { type: 'path', path: '/opt/containerd' },
    // Others who run containers have their networks there, too.
    { type: 'directory', path: '/etc/cni/net.d' },
  ],
  images: {
    id: (reference) => sh`ctr -n k8s.io images ls ${`name==${reference}`} | awk 'NR > 1 { print $3 }'`,
    load: (file) => sh`ctr -n k8s.io images import ${file}`,
    remove: (reference) => sh`ctr -n k8s.io images rm ${reference}`,
  },
};

/**
 * What containerd makes in its data directory. The usual one is its own. One that the user has chosen may be anybody's: there only
 * what is known by its name belongs to containerd.
 */
function dataEffects(path: string): readonly Effect[] {
  const mode: Effect = { type: 'mode', path };
  if (path === USUAL_DATA) return [{ type: 'mounts', below: path }, { type: 'path', path }, mode];
  return [
    { type: 'paths', prefix: `${path}/io.containerd.` },
    { type: 'mounts', below: `${path}/tmpmounts` },
    { type: 'path', path: `${path}/tmpmounts` },
    { type: 'directory', path },
    mode,
  ];
}
