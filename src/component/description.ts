import type { Cluster, ClusterHost } from '../model/cluster/index.ts';
import type { ProxyMode } from '../model/cluster/proxy-mode.ts';
import type { Effect } from '../model/effect.ts';
import type { Script } from '../model/script.ts';

/** What a component is for. A cluster has one of the first four kinds, and any number of the others. */
export type ComponentKind =
  | 'kubernetes'
  | 'etcd'
  | 'runtime'
  | 'network'
  | 'proxy'
  | 'dns'
  | 'load-balancer'
  | 'registry'
  | 'addon';

/** A version that the configuration names, and the field that names it. */
export interface WantedVersion {
  readonly version: string;
  readonly field: string;
}

/** Files, images or packages of one catalog entry, and the hosts that need them. */
export interface CatalogLine {
  /** The entry: a file of `data/catalog`. */
  readonly component: string;
  readonly hosts: readonly ClusterHost[];
  readonly files?: readonly string[];
  readonly images?: readonly string[];
  /** Its packages come from the operating system. */
  readonly packages?: true;
  readonly wanted?: WantedVersion | undefined;
}

/** A port that a component listens on. */
export interface Port {
  readonly port: number;
  readonly protocol: 'tcp' | 'udp';
  /** Who connects to it; nobody: only the host itself. `peers`: every node to every other one, too many to be tried. */
  readonly from: readonly ('nodes' | 'masters' | 'etcd' | 'peers')[];
}

/** A kernel module, and what needs it. */
export interface KernelModule {
  readonly name: string;
  readonly purpose: string;
}

/** A daemon set or deployment of a component in the cluster. */
export interface Workload {
  readonly kind: 'DaemonSet' | 'Deployment';
  /** As people call it. */
  readonly title: string;
  readonly namespace: string;
  readonly name: string;
  /** The label by which its pods are found. */
  readonly selector: string;
  /** kubexm applies it: its pods are waited for at the revision that was applied last. */
  readonly applied?: true;
}

/** Everything that the rest of the program knows about one component. */
export interface Component {
  readonly name: string;
  readonly kind: ComponentKind;
  /** Whether a cluster has it. */
  readonly isUsed: (cluster: Cluster) => boolean;
  /**
   * The tasks that install it, by name. A component without any is described, and `create cluster` refuses it: it is not
   * supported yet.
   */
  readonly tasks: readonly string[];
  /** The configuration it acts on, as patterns: `spec.network.plugin=flannel`, `spec.network.flannel.**`. */
  readonly fields: readonly string[];
  /** Those that hold only when the cluster is created. */
  readonly fixed?: readonly string[];
  /** What it takes from the catalog. */
  readonly catalog: (cluster: Cluster) => readonly CatalogLine[];
  /** Where it listens on a host. */
  readonly ports?: (cluster: Cluster, host: ClusterHost) => readonly Port[];
  /** The kernel modules it needs. Which of them kube-proxy needs depends on its mode. */
  readonly modules?: (cluster: Cluster, proxyMode: ProxyMode) => readonly KernelModule[];
  /** Its processes, as the kernel names them: at most 15 characters. */
  readonly processes?: readonly string[];
  readonly workloads?: (cluster: Cluster) => readonly Workload[];
  /** What its packages leave on a host when they are removed. */
  readonly packageEffects?: readonly Effect[];
  /** What it makes on nodes beside what its steps write themselves. */
  readonly effects?: (cluster: Cluster) => readonly Effect[];
}

/** How images get into a container runtime and out of it. */
export interface ImageCommands {
  /** Prints the id under which the runtime knows the image; nothing if it has none. */
  readonly id: (reference: string) => Script;
  readonly load: (file: Script, reference: string) => Script;
  readonly remove: (reference: string) => Script;
}

/** A container runtime. */
export interface RuntimeComponent extends Component {
  readonly kind: 'runtime';
  /** The unit that serves the kubelet. */
  readonly unit: string;
  /** Where the kubelet finds it. */
  readonly socket: string;
  /** Its process, as the kernel names it. */
  readonly process: string;
  /** Where it keeps images and containers. */
  readonly dataDir: (cluster: Cluster) => string;
  readonly images: ImageCommands;
  /** What it makes beside what its steps write: noted with its own service, which is there before the kubelet. */
  readonly runtimeEffects?: (cluster: Cluster) => readonly Effect[];
}
