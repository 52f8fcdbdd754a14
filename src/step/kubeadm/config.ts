import type { Taint } from '../../model/cluster/host.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Wanted } from '../../plan/ref.ts';
import { traitsOf } from './version.ts';

/** A flag of a component. The same one may be given several times. */
export interface Flag {
  readonly name: string;
  readonly value: string;
}

/** A directory of a master that the static pod of its API server sees. */
export interface HostFile {
  readonly name: string;
  readonly path: string;
  readonly readOnly: boolean;
}

/** How a node registers itself. */
export interface NodeSettings {
  readonly name: string;
  /** Its addresses in the cluster, one per family. */
  readonly addresses: readonly string[];
  readonly criSocket: string;
  /** Undefined leaves it to kubeadm: none, or that of a control plane. */
  readonly taints: readonly Taint[] | undefined;
  readonly kubeletArgs: readonly Flag[];
  /** Where a master has patches for its static pods. */
  readonly patches: string | undefined;
  /** Checks of kubeadm whose errors are warnings on this node. */
  readonly ignoredChecks: readonly string[];
}

/** etcd in static pods of the masters. */
export interface StackedEtcd {
  readonly dataDir: string;
  readonly imageTag?: string;
  readonly args: readonly Flag[];
}

/** An etcd that kubeadm does not run. */
export interface EndpointsOfEtcd {
  readonly endpoints: readonly string[];
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** The settings of the cluster in the kubeadm configuration. */
export interface ClusterSettings extends CommonSettings {
  readonly imageRepository: string;
}

/** Settings of a cluster that are the same with kubeadm and without. */
export interface CommonSettings {
  /** With its `v`. */
  readonly version: string;
  readonly clusterName: string;
  /** `lb.kubexm.local:6443` */
  readonly endpoint: string;
  readonly bindPort: number;
  readonly dnsDomain: string;
  readonly podSubnets: readonly string[];
  readonly serviceSubnets: readonly string[];
  readonly certSans: readonly string[];
  readonly apiserverArgs: readonly Flag[];
  /** What API servers read and write on masters for these. */
  readonly apiServerFiles: readonly HostFile[];
  readonly controllerManagerArgs: readonly Flag[];
  readonly schedulerArgs: readonly Flag[];
  readonly etcd: StackedEtcd | EndpointsOfEtcd;
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** Fields of KubeletConfiguration. */
  readonly kubelet: JsonObject;
  /** Fields of KubeProxyConfiguration. */
  readonly proxy: JsonObject;
}

/** The documents that `kubeadm init --config` reads. */
export function initDocuments(cluster: ClusterSettings, node: NodeSettings): readonly JsonObject[] {
  const { kubeadmApi } = traitsOf(cluster.version);
  const api = `kubeadm.k8s.io/${kubeadmApi}`;
  return [
    {
      apiVersion: api,
      kind: 'InitConfiguration',
      // The first token is of no use: for those that join one is made just before.
      bootstrapTokens: [
        { description: 'kubexm: the first', ttl: '15m0s', groups: ['system:bootstrappers:kubeadm:default-node-token'] },
      ],
      localAPIEndpoint: { advertiseAddress: node.addresses[0] ?? '', bindPort: cluster.bindPort },
      nodeRegistration: registration(node, kubeadmApi),
      ...patchesOf(node),
    },
    clusterConfiguration(cluster, api, kubeadmApi),
    { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', ...cluster.kubelet },
    { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration', ...cluster.proxy },
  ];
}

/** The settings with which a node joins. */
export interface JoinSettings {
  readonly version: string;
  readonly endpoint: string;
  readonly token: Wanted<string>;
  readonly caCertHash: Wanted<string>;
  /** Of a control plane: decrypts the certificates that the first one has uploaded. */
  readonly certificateKey?: Wanted<string>;
  readonly bindPort: number;
}

/** The document that `kubeadm join --config` reads. */
export function joinDocument(join: JoinSettings, node: NodeSettings): Wanted<JsonObject> {
  const { kubeadmApi } = traitsOf(join.version);
  const localAPIEndpoint = { advertiseAddress: node.addresses[0] ?? '', bindPort: join.bindPort };
  return {
    apiVersion: `kubeadm.k8s.io/${kubeadmApi}`,
    kind: 'JoinConfiguration',
    discovery: {
      bootstrapToken: { apiServerEndpoint: join.endpoint, token: join.token, caCertHashes: [join.caCertHash] },
    },
    nodeRegistration: registration(node, kubeadmApi),
    ...patchesOf(node),
    ...(join.certificateKey === undefined
      ? {}
      : { controlPlane: { localAPIEndpoint, certificateKey: join.certificateKey } }),
  };
}

function clusterConfiguration(cluster: ClusterSettings, api: string, form: string): JsonObject {
  const gates = Object.entries(cluster.featureGates).map(([name, on]) => `${name}=${on}`);
  const gateArgs = gates.length === 0 ? [] : [{ name: 'feature-gates', value: gates.join(',') }];
  const component = (args: readonly Flag[]): JsonObject => extraArgs([...gateArgs, ...args], form, 'extraArgs');
  return {
    apiVersion: api,
    kind: 'ClusterConfiguration',
    clusterName: cluster.clusterName,
    kubernetesVersion: cluster.version,
    controlPlaneEndpoint: cluster.endpoint,
    imageRepository: cluster.imageRepository,
    networking: {
      dnsDomain: cluster.dnsDomain,
      podSubnet: cluster.podSubnets.join(','),
      serviceSubnet: cluster.serviceSubnets.join(','),
    },
    apiServer: {
      certSANs: [...cluster.certSans],
      ...component(cluster.apiserverArgs),
      ...volumesOf(cluster.apiServerFiles),
    },
    controllerManager: component(cluster.controllerManagerArgs),
    scheduler: component(cluster.schedulerArgs),
    etcd: etcdSection(cluster.etcd, form),
  };
}

function etcdSection(etcd: ClusterSettings['etcd'], form: string): JsonObject {
  if ('endpoints' in etcd) return { external: { ...etcd, endpoints: [...etcd.endpoints] } };
  const { args, ...local } = etcd;
  return { local: { ...local, ...extraArgs(args, form, 'extraArgs') } };
}

function volumesOf(files: readonly HostFile[]): JsonObject {
  if (files.length === 0) return {};
  return {
    extraVolumes: files.map(({ name, path, readOnly }) => ({
      name,
      hostPath: path,
      mountPath: path,
      readOnly,
      pathType: 'Directory',
    })),
  };
}

function patchesOf({ patches }: NodeSettings): JsonObject {
  return patches === undefined ? {} : { patches: { directory: patches } };
}

function registration(node: NodeSettings, form: string): JsonObject {
  const { name, addresses, criSocket, taints, kubeletArgs, ignoredChecks } = node;
  const nodeIp = { name: 'node-ip', value: addresses.join(',') };
  return {
    name,
    criSocket: `unix://${criSocket}`,
    // Images are imported before: what is missing is a defect, and is pulled rather than fatal.
    imagePullPolicy: 'IfNotPresent',
    ...(taints === undefined ? {} : { taints: taints.map((taint) => ({ ...taint })) }),
    ...(ignoredChecks.length === 0 ? {} : { ignorePreflightErrors: [...ignoredChecks] }),
    ...extraArgs([nodeIp, ...kubeletArgs], form, 'kubeletExtraArgs'),
  };
}

/** v1beta3 has a map, in which a flag that is given twice has both values; v1beta4 has a list. */
function extraArgs(args: readonly Flag[], form: string, key: string): JsonObject {
  if (args.length === 0) return {};
  if (form === 'v1beta3') {
    const byName = Map.groupBy(args, ({ name }) => name);
    return {
      [key]: Object.fromEntries([...byName].map(([name, some]) => [name, some.map(({ value }) => value).join(',')])),
    };
  }
  return { [key]: args.map((arg) => ({ ...arg })) };
}
