/** Where etcd and its parts lie. */
export const ETCD = {
  program: '/usr/local/bin/etcd',
  directory: '/etc/kubexm/etcd',
  config: '/etc/kubexm/etcd/etcd.conf.yml',
  ssl: '/etc/kubexm/etcd/ssl',
  /** The CA, as members read it. */
  ca: '/etc/kubexm/etcd/ssl/ca.crt',
  unit: '/etc/systemd/system/etcd.service',
} as const;

/** The files by which API servers reach etcd; only root reads them. */
export const ETCD_CLIENT = {
  caFile: `${ETCD.ssl}/apiserver-etcd-ca.crt`,
  certFile: `${ETCD.ssl}/apiserver-etcd-client.crt`,
  keyFile: `${ETCD.ssl}/apiserver-etcd-client.key`,
} as const;

export const CLIENT_PORT = 2379;
const PEER_PORT = 2380;

/** A member of the cluster: a host with its address in the cluster. */
export interface EtcdMember {
  readonly name: string;
  readonly address: string;
}

/** Where clients find a member. */
export const clientUrl = ({ address }: Pick<EtcdMember, 'address'>): string =>
  `https://${bracketed(address)}:${CLIENT_PORT}`;

/** Where members find each other. */
export const peerUrl = ({ address }: EtcdMember): string => `https://${bracketed(address)}:${PEER_PORT}`;

const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address);
