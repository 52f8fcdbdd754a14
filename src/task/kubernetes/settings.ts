import { resourcesOf } from '../../artifacts/handles/index.ts';
import { stackedEtcd } from '../../component/etcd.ts';
import { runtimeOf } from '../../component/index.ts';
import { kubeVip } from '../../component/load-balancers.ts';
import { placesOf } from '../../component/places.ts';
import { livingGates } from '../../model/cluster/feature-gates.ts';
import type { ClusterHost } from '../../model/cluster/index.ts';
import { apiServerPort } from '../../model/cluster/places.ts';
import { type JsonObject, mergePatch } from '../../model/json.ts';
import type { PlanContext, PlanHost } from '../../plan/layers.ts';
import { storageFiles, storageFlags } from '../../step/api-server.ts';
import { unlessGiven } from '../../step/binary/flags.ts';
import { ETCD_CLIENT } from '../../step/etcd/places.ts';
import type { ClusterSettings, CommonSettings, Flag, NodeSettings } from '../../step/kubeadm/config.ts';
import { KUBERNETES } from '../../step/kubeadm/index.ts';
import type { NodePlaces } from '../../step/kubeadm/places.ts';
import { type Traits, traitsOf } from '../../step/kubeadm/version.ts';
import { endpointsOf } from '../etcd/members.ts';
import { balancerPods } from '../load-balancer/proxies.ts';
import { allNodes, proxyModeIn } from '../nodes.ts';

const CONTROL_PLANE_TAINT = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' };

/**
 * When it becomes the leader, the controller manager asks for an account and a token for each of some forty controllers. With the
 * usual burst of 30 it then waits for itself, five seconds; the rate that it keeps to after that is the usual one.
 */
const STARTS_AT_ONCE: Flag = { name: 'kube-api-burst', value: '200' };

/** `lb.kubexm.local:6443`: what every node and kubeconfig calls the control plane. */
export function endpointOf({ cluster }: PlanContext): string {
  const { domain, port } = cluster.spec.controlPlaneEndpoint;
  return `${domain}:${port}`;
}

/** The settings of the cluster in the kubeadm configuration. */
export function clusterSettings(context: PlanContext): ClusterSettings {
  const imageRepository = resourcesOf(context)
    .reference('kube-apiserver')
    .replace(/\/kube-apiserver:.*$/, '');
  return { ...commonSettings(context), imageRepository };
}

/** The settings of a cluster that are the same with kubeadm and without. */
export function commonSettings(context: PlanContext): CommonSettings {
  const { spec, metadata } = context.cluster;
  const { kubernetes, network } = spec;
  return {
    version: kubernetes.version,
    clusterName: metadata.name,
    endpoint: endpointOf(context),
    bindPort: apiServerPort(context.cluster),
    dnsDomain: kubernetes.clusterName,
    podSubnets: families(network.kubePodsCIDR),
    serviceSubnets: families(network.kubeServiceCIDR),
    certSans: certSans(context, spec.roleGroups.master),
    apiserverArgs: unlessGiven(storageFlags(kubernetes), flags(kubernetes.apiserverArgs)),
    apiServerFiles: storageFiles(kubernetes),
    controllerManagerArgs: unlessGiven(
      [...maskSizes(context), STARTS_AT_ONCE],
      flags(kubernetes.controllerManagerArgs),
    ),
    schedulerArgs: flags(kubernetes.schedulerArgs),
    etcd: etcdSettings(context),
    featureGates: livingGates(kubernetes.featureGates),
    kubelet: kubeletFields(context),
    proxy: proxyFields(context),
  };
}

/** How a node registers itself. */
export function nodeSettings(context: PlanContext, host: PlanHost): NodeSettings {
  const { internal } = configOf(context, host);
  return {
    name: host.name,
    addresses: families(internal),
    criSocket: runtimeOf(context.cluster).socket,
    taints: taintsOf(context, host),
    kubeletArgs: flags(context.cluster.spec.kubernetes.kubeletArgs),
    patches: host.roles.includes('master') ? KUBERNETES.patches : undefined,
    ignoredChecks: ignoredChecks(context, host),
  };
}

/** Those of the file, and of a master that is no worker the usual one. A worker without any needs no list. */
function taintsOf(context: PlanContext, host: PlanHost): NodeSettings['taints'] {
  const own = configOf(context, host).taints;
  if (!host.roles.includes('master')) return own.length === 0 ? undefined : own;
  return host.roles.includes('worker') ? own : [CONTROL_PLANE_TAINT, ...own];
}

/** Checks of kubeadm that would stop it for no good reason. */
function ignoredChecks(context: PlanContext, host: PlanHost): readonly string[] {
  const { facts } = host;
  const { refusesCgroupV1, failsProxyCheck } = traits(context);
  return [
    ...(facts.cgroup === 1 && refusesCgroupV1 ? ['SystemVerification'] : []),
    ...(failsProxyCheck ? ['HTTPProxyCIDR'] : []),
    // The manifest of the load balancer is there before the node joins.
    ...(balancerPods(context, host).length > 0 ? ['DirAvailable--etc-kubernetes-manifests'] : []),
  ];
}

/** Where a node keeps what `kubeadm reset` and the manifest have to find again. */
export function nodePlaces(context: PlanContext, host: Pick<PlanHost, 'roles'>): NodePlaces {
  const { etcdDir, kubeletDir } = placesOf(context.cluster);
  return {
    criSocket: runtimeOf(context.cluster).socket,
    ...(host.roles.includes('master') && stackedEtcd.isUsed(context.cluster) ? { etcdDir } : {}),
    kubeletDir,
    ...withPods(balancerPods(context, host)),
  };
}

function withPods(staticPods: readonly string[]): Pick<NodePlaces, 'staticPods'> {
  return staticPods.length === 0 ? {} : { staticPods };
}

/** Where API servers find etcd: beside them, or at endpoints of its own. */
function etcdSettings(context: PlanContext): ClusterSettings['etcd'] {
  const { cluster } = context;
  const { etcdDir } = placesOf(cluster);
  if (stackedEtcd.isUsed(cluster)) {
    // kubeadm has a version of its own in mind.
    const [, imageTag] = /:([^:/]+)$/.exec(resourcesOf(context).reference('etcd')) ?? [];
    return { dataDir: etcdDir, args: etcdArgs(cluster.spec.etcd), ...(imageTag === undefined ? {} : { imageTag }) };
  }
  const { external, type } = cluster.spec.etcd;
  const secure = type !== 'external' || external?.caFile !== undefined;
  return { endpoints: endpointsOf(cluster), ...(secure ? ETCD_CLIENT : {}) };
}

/** What the file says of etcd, as flags of the static pod. */
function etcdArgs(etcd: PlanContext['cluster']['spec']['etcd']): readonly Flag[] {
  return [
    { name: 'heartbeat-interval', value: String(etcd.heartbeatInterval) },
    { name: 'election-timeout', value: String(etcd.electionTimeout) },
    { name: 'snapshot-count', value: String(etcd.snapshotCount) },
    { name: 'auto-compaction-mode', value: 'periodic' },
    { name: 'auto-compaction-retention', value: `${etcd.autoCompactionRetention}h` },
    { name: 'metrics', value: etcd.metrics },
    { name: 'quota-backend-bytes', value: String(etcd.quotaBackendBytes) },
    { name: 'max-request-bytes', value: String(etcd.maxRequestBytes) },
    { name: 'max-snapshots', value: String(etcd.maxSnapshots) },
    { name: 'max-wals', value: String(etcd.maxWals) },
    { name: 'log-level', value: etcd.logLevel },
  ];
}

/** A host's part of the configuration. */
export function configOf({ cluster }: PlanContext, { name }: Pick<PlanHost, 'name'>): ClusterHost {
  const found = cluster.spec.hosts.find((host) => host.name === name);
  if (found === undefined) throw new TypeError(`${name} is in the plan and not in the configuration`);
  return found;
}

/** Everything under which somebody may reach the API servers of these masters. */
export function certSans({ cluster: { spec } }: PlanContext, names: readonly string[]): readonly string[] {
  const { domain, address } = spec.controlPlaneEndpoint;
  const masters = names.flatMap((name) => {
    const host = spec.hosts.find((one) => one.name === name);
    return host === undefined ? [] : [host.name, host.address, ...families(host.internal)];
  });
  const own = ['localhost', '127.0.0.1', domain, ...(address === undefined ? [] : families(address))];
  return [...new Set([...own, ...masters, ...spec.kubernetes.apiserverCertExtraSans])];
}

function maskSizes({ cluster: { spec } }: PlanContext): readonly Flag[] {
  const { ipv4, ipv6 } = spec.network.kubePodsCIDR;
  const { nodeCidrMaskSize, nodeCidrMaskSizeIPv6 } = spec.kubernetes;
  if (ipv4 !== undefined && ipv6 !== undefined) {
    return [
      { name: 'node-cidr-mask-size-ipv4', value: String(nodeCidrMaskSize) },
      { name: 'node-cidr-mask-size-ipv6', value: String(nodeCidrMaskSizeIPv6) },
    ];
  }
  return [{ name: 'node-cidr-mask-size', value: String(ipv4 === undefined ? nodeCidrMaskSizeIPv6 : nodeCidrMaskSize) }];
}

function kubeletFields(context: PlanContext): JsonObject {
  const { kubernetes } = context.cluster.spec;
  const gates = livingGates(kubernetes.featureGates);
  const { knowsFailCgroupV1 } = traits(context);
  const oldCgroups = allNodes(context).some(({ facts }) => facts.cgroup === 1);
  const fields: JsonObject = {
    cgroupDriver: 'systemd',
    maxPods: kubernetes.maxPods,
    podPidsLimit: kubernetes.podPidsLimit,
    rotateCertificates: true,
    ...gatesIn(gates),
    ...(knowsFailCgroupV1 && oldCgroups ? { failCgroupV1: false } : {}),
  };
  return mergePatch(fields, kubernetes.kubeletConfiguration as JsonObject) as JsonObject;
}

function proxyFields(context: PlanContext): JsonObject {
  const { kubernetes, network } = context.cluster.spec;
  const mode = proxyModeIn(context);
  // The ipvs mode has no such field of its own and reads that of iptables.
  const section = mode === 'nftables' ? 'nftables' : 'iptables';
  const fields: JsonObject = {
    mode,
    clusterCIDR: families(network.kubePodsCIDR).join(','),
    ...gatesIn(livingGates(kubernetes.featureGates)),
    ...(kubernetes.masqueradeAll ? { [section]: { masqueradeAll: true } } : {}),
  };
  const own = mergePatch(fields, kubernetes.kubeProxyConfiguration as JsonObject) as JsonObject;
  return mode === 'ipvs' && kubeVip.isUsed(context.cluster) ? besideKubeVip(context, own) : own;
}

/** In its ipvs mode kube-proxy would remove the virtual IP, and answer ARP for addresses that it does not have. */
function besideKubeVip({ cluster: { spec } }: PlanContext, fields: JsonObject): JsonObject {
  const addresses = spec.controlPlaneEndpoint.address?.list ?? [];
  const kept = addresses.map((address) => `${address}/${address.includes(':') ? 128 : 32}`);
  const excluded = spec.kubernetes.kubeProxyConfiguration.ipvs?.excludeCIDRs ?? [];
  return mergePatch(fields, {
    ipvs: { strictARP: true, excludeCIDRs: [...new Set([...excluded, ...kept])] },
  }) as JsonObject;
}

function gatesIn(gates: Readonly<Record<string, boolean>>): JsonObject {
  return Object.keys(gates).length === 0 ? {} : { featureGates: gates };
}

function traits({ cluster }: PlanContext): Traits {
  return traitsOf(cluster.spec.kubernetes.version);
}

/** `--name=value` as kubeadm takes it. A flag without a value is one that is on. */
function flags(args: readonly string[]): readonly Flag[] {
  return args.map((arg) => {
    const [, name = '', value = 'true'] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    return { name, value };
  });
}

function families(stack: { readonly ipv4?: string; readonly ipv6?: string }): readonly string[] {
  return [stack.ipv4, stack.ipv6].filter((one) => one !== undefined);
}
