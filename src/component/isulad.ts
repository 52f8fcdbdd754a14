import { sh } from '../model/script.ts';
import type { RuntimeComponent } from './description.ts';
import { besideRuntime, nodesIn, wantedRuntime } from './hosts.ts';

/** iSulad, from the packages of openEuler. */
export const isulad: RuntimeComponent = {
  name: 'isulad',
  kind: 'runtime',
  isUsed: ({ spec }) => spec.kubernetes.containerRuntime.type === 'isulad',
  tasks: [],
  fields: ['spec.kubernetes.containerRuntime.type=isulad', 'spec.kubernetes.containerRuntime.isulad.**'],
  catalog: (cluster) => [
    { component: 'isulad', hosts: nodesIn(cluster), packages: true, ...wantedRuntime(cluster) },
    ...besideRuntime(cluster),
  ],
  modules: () => [{ name: 'overlay', purpose: 'isulad' }],
  unit: 'isulad.service',
  socket: '/run/isulad.sock',
  process: 'isulad',
  dataDir: () => '/var/lib/isulad',
  images: {
    id: (reference) => sh`isula inspect -f '{{.image.id}}' ${reference}`,
    load: (file) => sh`isula load -i ${file}`,
    remove: (reference) => sh`isula rmi ${reference}`,
  },
};
