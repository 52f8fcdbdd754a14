export type {
  Cluster,
  ClusterHost,
  ClusterSpec,
  ControlPlaneEndpoint,
  SshHop,
  SshLogin,
  SshSettings,
} from './cluster.ts';
export { findHost, hostsOf, nodesOf, SSH_DEFAULTS } from './cluster.ts';
export type { ClusterDocument } from './document.ts';
export { API_VERSION, documentSchema } from './document.ts';
export type { DualStack } from './ip.ts';
export type { Role } from './roles.ts';
export { ROLES } from './roles.ts';
export { MASK, Secret } from './secret.ts';
export { SUPPORTED_KUBERNETES } from './text.ts';
