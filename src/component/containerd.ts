import { sh } from '../model/script.ts';
import type { RuntimeComponent } from './description.ts';
import { besideRuntime, nodesIn, wantedRuntime } from './hosts.ts';

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
  images: {
    id: (reference) => sh`ctr -n k8s.io images ls ${`name==${reference}`} | awk 'NR > 1 { print $3 }'`,
    load: (file) => sh`ctr -n k8s.io images import ${file}`,
    remove: (reference) => sh`ctr -n k8s.io images rm ${reference}`,
  },
};
