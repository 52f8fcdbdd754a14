export type { Cluster, ClusterHost } from './cluster.ts';
export { hostsOf } from './cluster.ts';
