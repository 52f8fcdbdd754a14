import { type JsonObject, mergePatch } from '../../model/json.ts';
import type { CommonSettings, NodeSettings } from '../kubeadm/config.ts';
import { MANIFESTS } from '../kubeadm/places.ts';
import { kubeconfigOf, pkiFile } from './places.ts';

/** What a kubelet reads, beside the settings of the cluster. */
export interface KubeletSettings {
  readonly cluster: Pick<CommonSettings, 'dnsDomain' | 'kubelet'>;
  readonly node: Pick<NodeSettings, 'criSocket' | 'taints'>;
  /** Where pods ask for names. */
  readonly clusterDns: string;
  /** The file of the name servers that pods may have, if /etc/resolv.conf names one of the host alone. */
  readonly resolvConf?: string;
}

/** The configuration of a kubelet. What the user says of a field is all that is said of it. */
export function kubeletDocument({ cluster, node, clusterDns, resolvConf }: KubeletSettings): JsonObject {
  const ours: JsonObject = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: pkiFile('ca.crt') },
    },
    authorization: { mode: 'Webhook' },
    clusterDNS: [clusterDns],
    clusterDomain: cluster.dnsDomain,
    containerRuntimeEndpoint: `unix://${node.criSocket}`,
    healthzBindAddress: '127.0.0.1',
    staticPodPath: MANIFESTS,
    ...(node.taints === undefined || node.taints.length === 0
      ? {}
      : { registerWithTaints: node.taints.map((taint) => ({ ...taint })) }),
    ...(resolvConf === undefined ? {} : { resolvConf }),
    ...servingFiles(cluster.kubelet),
  };
  return mergePatch(ours, cluster.kubelet) as JsonObject;
}

/** The certificate that kubexm has made. A kubelet that is to ask the cluster for one has no files. */
function servingFiles({ serverTLSBootstrap }: JsonObject): JsonObject {
  if (serverTLSBootstrap === true) return {};
  return { tlsCertFile: pkiFile('kubelet.crt'), tlsPrivateKeyFile: pkiFile('kubelet.key') };
}

/** The configuration of kube-proxy. */
export function proxyDocument({ proxy }: Pick<CommonSettings, 'proxy'>): JsonObject {
  const ours: JsonObject = {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig: kubeconfigOf('kube-proxy') },
  };
  return mergePatch(ours, proxy) as JsonObject;
}

/** The configuration of the scheduler. */
export function schedulerDocument(): JsonObject {
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { kubeconfig: kubeconfigOf('scheduler') },
    leaderElection: { leaderElect: true },
  };
}
