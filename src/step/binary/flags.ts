import type { CommonSettings, EndpointsOfEtcd, Flag, NodeSettings } from '../kubeadm/config.ts';
import { BINARY, kubeconfigOf, pkiFile } from './places.ts';

/** What a program on a host is started with: the settings of the cluster and of the node. */
export interface ProgramSettings {
  readonly cluster: CommonSettings;
  readonly node: Pick<NodeSettings, 'name' | 'addresses' | 'kubeletArgs'>;
}

type Flags = Readonly<Record<string, string | readonly string[] | number | boolean>>;

/** The user that API servers are to kubelets. */
export const KUBELET_CLIENT = 'kube-apiserver-kubelet-client';

/** The user that API servers are to the API servers that they pass requests on to. */
export const FRONT_PROXY_CLIENT = 'front-proxy-client';

/** The flags of the API server. */
export function apiServerFlags({ cluster, node }: ProgramSettings): readonly Flag[] {
  if (!('endpoints' in cluster.etcd)) throw new TypeError('without kubeadm etcd has endpoints of its own');
  const ours: Flags = {
    'advertise-address': node.addresses[0] ?? '',
    'secure-port': cluster.bindPort,
    'allow-privileged': true,
    'authorization-mode': 'Node,RBAC',
    'enable-admission-plugins': 'NodeRestriction',
    'client-ca-file': pkiFile('ca.crt'),
    'tls-cert-file': pkiFile('apiserver.crt'),
    'tls-private-key-file': pkiFile('apiserver.key'),
    'etcd-servers': cluster.etcd.endpoints,
    ...etcdFiles(cluster.etcd),
    // Kubelets have certificates of the same CA, so API servers can know them.
    'kubelet-certificate-authority': pkiFile('ca.crt'),
    'kubelet-client-certificate': pkiFile('apiserver-kubelet-client.crt'),
    'kubelet-client-key': pkiFile('apiserver-kubelet-client.key'),
    'kubelet-preferred-address-types': 'InternalIP,ExternalIP,Hostname',
    'proxy-client-cert-file': pkiFile('front-proxy-client.crt'),
    'proxy-client-key-file': pkiFile('front-proxy-client.key'),
    'requestheader-allowed-names': FRONT_PROXY_CLIENT,
    'requestheader-client-ca-file': pkiFile('front-proxy-ca.crt'),
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-username-headers': 'X-Remote-User',
    'service-account-issuer': `https://kubernetes.default.svc.${cluster.dnsDomain}`,
    'service-account-key-file': pkiFile('sa.pub'),
    'service-account-signing-key-file': pkiFile('sa.key'),
    'service-cluster-ip-range': cluster.serviceSubnets,
  };
  return withGiven(ours, cluster, cluster.apiserverArgs);
}

/** An etcd that exists may serve without TLS. */
function etcdFiles({ caFile, certFile, keyFile }: EndpointsOfEtcd): Flags {
  return {
    ...(caFile === undefined ? {} : { 'etcd-cafile': caFile }),
    ...(certFile === undefined ? {} : { 'etcd-certfile': certFile }),
    ...(keyFile === undefined ? {} : { 'etcd-keyfile': keyFile }),
  };
}

/** The flags of the controller manager, which only the host itself can ask. */
export function controllerManagerFlags({ cluster }: ProgramSettings): readonly Flag[] {
  const own = kubeconfigOf('controller-manager');
  const ours: Flags = {
    'allocate-node-cidrs': true,
    'authentication-kubeconfig': own,
    'authorization-kubeconfig': own,
    kubeconfig: own,
    'bind-address': '127.0.0.1',
    'client-ca-file': pkiFile('ca.crt'),
    'cluster-cidr': cluster.podSubnets,
    'cluster-name': cluster.clusterName,
    'cluster-signing-cert-file': pkiFile('ca.crt'),
    'cluster-signing-key-file': pkiFile('ca.key'),
    'leader-elect': true,
    'requestheader-client-ca-file': pkiFile('front-proxy-ca.crt'),
    'root-ca-file': pkiFile('ca.crt'),
    'service-account-private-key-file': pkiFile('sa.key'),
    'service-cluster-ip-range': cluster.serviceSubnets,
    'use-service-account-credentials': true,
  };
  return withGiven(ours, cluster, cluster.controllerManagerArgs);
}

/** The flags of the scheduler that its configuration has no fields for. */
export function schedulerFlags({ cluster }: ProgramSettings): readonly Flag[] {
  const own = kubeconfigOf('scheduler');
  const ours: Flags = {
    config: BINARY.schedulerConfig,
    'authentication-kubeconfig': own,
    'authorization-kubeconfig': own,
    'bind-address': '127.0.0.1',
  };
  return withGiven(ours, cluster, cluster.schedulerArgs);
}

/** The flags of a kubelet that its configuration has no fields for. Feature gates are a field. */
export function kubeletFlags({ node }: ProgramSettings): readonly Flag[] {
  const ours: Flags = {
    config: BINARY.kubeletConfig,
    kubeconfig: kubeconfigOf('kubelet'),
    'hostname-override': node.name,
    'node-ip': node.addresses,
  };
  return unlessGiven(flagsOf(ours), node.kubeletArgs);
}

/** All of kube-proxy is in its configuration, except what differs from node to node. */
export function proxyFlags({ node }: ProgramSettings): readonly Flag[] {
  return flagsOf({ config: BINARY.proxyConfig, 'hostname-override': node.name });
}

function withGiven(ours: Flags, { featureGates }: CommonSettings, given: readonly Flag[]): readonly Flag[] {
  const gates = Object.entries(featureGates).map(([name, on]) => `${name}=${on}`);
  return unlessGiven([...flagsOf(ours), ...(gates.length === 0 ? [] : flagsOf({ 'feature-gates': gates }))], given);
}

function flagsOf(flags: Flags): readonly Flag[] {
  return Object.entries(flags).map(([name, value]) => ({
    name,
    value: Array.isArray(value) ? value.join(',') : String(value),
  }));
}

/** A flag that is given twice may be a list, or an error: what the user says of one is all that is said of it. */
export function unlessGiven(ours: readonly Flag[], given: readonly Flag[]): readonly Flag[] {
  return [...ours.filter(({ name }) => given.every((one) => one.name !== name)), ...given];
}

/** The line of a unit that starts a program. systemd takes `%` for a specifier and `$` for a variable. */
export function commandLine(program: string, flags: readonly Flag[]): string {
  const words = flags.map(({ name, value }) => quoted(`--${name}=${value}`));
  return [`${BINARY.bin}/${program}`, ...words].join(' \\\n  ');
}

function quoted(word: string): string {
  const safe = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  if (!/[\s"'\\;]/.test(safe)) return safe;
  return `"${safe.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
