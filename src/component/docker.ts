import { sh } from '../model/script.ts';
import type { RuntimeComponent } from './description.ts';
import { besideRuntime, nodesIn, wantedRuntime } from './hosts.ts';

/** Docker, which the kubelet reaches through cri-dockerd. */
export const docker: RuntimeComponent = {
  name: 'docker',
  kind: 'runtime',
  isUsed: ({ spec }) => spec.kubernetes.containerRuntime.type === 'docker',
  tasks: [],
  fields: ['spec.kubernetes.containerRuntime.type=docker', 'spec.kubernetes.containerRuntime.docker.**'],
  catalog: (cluster) => {
    const hosts = nodesIn(cluster);
    return [
      { component: 'docker', hosts, files: ['docker'], ...wantedRuntime(cluster) },
      { component: 'cri-dockerd', hosts, files: ['cri-dockerd'] },
      ...besideRuntime(cluster),
    ];
  },
  modules: () => [{ name: 'overlay', purpose: 'docker' }],
  unit: 'cri-docker.service',
  socket: '/run/cri-dockerd.sock',
  process: 'dockerd',
  dataDir: ({ spec }) => spec.registry.dockerDataDir,
  images: {
    id: (reference) => sh`docker image inspect -f '{{.Id}}' -- ${reference}`,
    load: (file) => sh`docker image load -q -i ${file}`,
    remove: (reference) => sh`docker image rm -- ${reference}`,
  },
};
