import { sh } from '../model/script.ts';
import type { RuntimeComponent } from './description.ts';
import { besideRuntime, nodesIn, wantedRuntime } from './hosts.ts';

/** CRI-O. Its bundle has no client that imports images: skopeo, a package of every family, writes to its storage. */
export const crio: RuntimeComponent = {
  name: 'cri-o',
  kind: 'runtime',
  isUsed: ({ spec }) => spec.kubernetes.containerRuntime.type === 'cri-o',
  tasks: [],
  fields: ['spec.kubernetes.containerRuntime.type=cri-o', 'spec.kubernetes.containerRuntime.cri-o.**'],
  catalog: (cluster) => [
    { component: 'cri-o', hosts: nodesIn(cluster), files: ['cri-o'], ...wantedRuntime(cluster) },
    ...besideRuntime(cluster),
  ],
  modules: () => [{ name: 'overlay', purpose: 'cri-o' }],
  unit: 'crio.service',
  socket: '/run/crio/crio.sock',
  process: 'crio',
  dataDir: () => '/var/lib/containers',
  images: {
    id: (reference) => sh`crictl inspecti -o go-template --template '{{.status.id}}' ${reference}`,
    load: (file, reference) =>
      sh`skopeo copy --quiet ${{ script: `docker-archive:${file.script}` }} ${`containers-storage:${reference}`}`,
    remove: (reference) => sh`crictl rmi ${reference}`,
  },
};
