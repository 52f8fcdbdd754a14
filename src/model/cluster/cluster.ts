import type { Runtime } from './container-runtime.ts';
import type { ClusterDocument } from './document.ts';
import type { Taint } from './host.ts';
import type { DualStack } from './ip.ts';
import type { Role } from './roles.ts';
import type { Secret } from './secret.ts';

type DeepReadonly<T> = T extends Secret
  ? T
  : T extends readonly (infer Item)[]
    ? readonly DeepReadonly<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
      : T;

type DocumentSpec = ClusterDocument['spec'];

/** Who logs in and with what. What is not set comes from ~/.ssh/config, then from `SSH_DEFAULTS`. */
export interface SshLogin {
  readonly user?: string;
  readonly port?: number;
  readonly password?: Secret;
  readonly privateKeyPath?: string;
  readonly privateKey?: Secret;
  readonly privateKeyPassphrase?: Secret;
}

/** What holds where neither the file nor ~/.ssh/config says anything. */
export const SSH_DEFAULTS = { user: 'root', port: 22 } as const;

/** What happens to a host key that is not known. */
export type HostKeyPolicy = 'strict' | 'accept-new' | 'ask';

/** One machine on the way to a host. */
export interface SshHop extends SshLogin {
  readonly address: string;
  /** The only host keys to trust. */
  readonly hostKey?: readonly string[];
}

/** How a host is reached. */
export interface SshSettings extends SshLogin {
  readonly sudoPassword?: Secret;
  /** The only host keys to trust. */
  readonly hostKey?: readonly string[];
  /** Unset: what ~/.ssh/config says, else `accept-new`. */
  readonly hostKeyPolicy?: HostKeyPolicy;
  /** Machines to go through, the nearest first. */
  readonly bastions: readonly SshHop[];
  /** OpenSSH client configuration to read; `none` for none; unset for ~/.ssh/config. */
  readonly sshConfig?: string;
  readonly connectTimeoutSeconds: number;
}

/** A machine of the cluster. */
export interface ClusterHost {
  readonly name: string;
  /** Where SSH reaches it. */
  readonly address: string;
  /** What the other hosts use; the first one is the primary. */
  readonly internal: DualStack;
  readonly ssh: SshSettings;
  /** Unset: what the machine says. */
  readonly arch?: 'amd64' | 'arm64';
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** In the order of `ROLES`. */
  readonly roles: readonly Role[];
}

/** The way to the API servers. */
export interface ControlPlaneEndpoint {
  readonly externalLoadBalancer: 'none' | 'kubexm-kh' | 'kubexm-kn' | 'external';
  readonly internalLoadbalancer: 'none' | 'haproxy' | 'nginx' | 'kube-vip';
  readonly externalDNS: boolean;
  readonly domain: string;
  /** The virtual IP, or the external load balancer's address. */
  readonly address?: DualStack;
  readonly port: number;
  readonly interface?: string;
}

/** `spec` with canonical names, ranges expanded, addresses split, roles resolved and defaults filled. */
export type ClusterSpec = DeepReadonly<
  Omit<DocumentSpec, 'hosts' | 'ssh' | 'roleGroups' | 'controlPlaneEndpoint' | 'kubernetes' | 'network' | 'registry'>
> & {
  readonly hosts: readonly ClusterHost[];
  /** Names of hosts by role, in the order of the file. */
  readonly roleGroups: Readonly<Record<Role, readonly string[]>>;
  readonly controlPlaneEndpoint: ControlPlaneEndpoint;
  readonly kubernetes: DeepReadonly<
    Omit<DocumentSpec['kubernetes'], 'containerRuntime' | 'nodeCidrMaskSizeIPv6'> & {
      containerRuntime: { type: Runtime; version?: string };
      nodeCidrMaskSizeIPv6: number;
    }
  >;
  readonly network: DeepReadonly<
    Omit<DocumentSpec['network'], 'kubePodsCIDR' | 'kubeServiceCIDR'> & {
      kubePodsCIDR: DualStack;
      kubeServiceCIDR: DualStack;
    }
  >;
  readonly registry: DeepReadonly<
    Omit<DocumentSpec['registry'], 'type'> & { type: 'registry' | 'harbor' | 'external' | 'none' }
  >;
};

/** A configuration that was checked: what all other layers read. */
export interface Cluster {
  readonly apiVersion: ClusterDocument['apiVersion'];
  readonly kind: 'Cluster';
  readonly metadata: { readonly name: string };
  readonly spec: ClusterSpec;
}

/** The hosts of a role, in the order of its group: the first master is the one that starts the cluster. */
export function hostsOf(cluster: Cluster, role: Role): readonly ClusterHost[] {
  const byName = new Map(cluster.spec.hosts.map((host) => [host.name, host]));
  return cluster.spec.roleGroups[role].map((name) => byName.get(name)).filter((host) => host !== undefined);
}

/** Whether a host is a Kubernetes node. */
export function isNode(host: ClusterHost): boolean {
  return host.roles.includes('master') || host.roles.includes('worker');
}
