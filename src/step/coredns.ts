import type { JsonObject } from '../model/json.ts';
import { dedicated } from '../plan/step.ts';
import { type Coredns, corednsData, corednsVolumes, READINESS, spreadOver } from './dns.ts';
import { kubeObjects } from './generic/index.ts';
import { KUBERNETES } from './kubeadm/index.ts';

/** CoreDNS as kubexm installs it: with the same objects as kubeadm, so that both kinds of clusters look alike. */
export interface OwnCoredns extends Coredns {
  readonly image: string;
  /** The addresses of the Service, one per family. */
  readonly addresses: readonly string[];
  readonly replicas: number;
}

const NAME = 'coredns';
const SYSTEM = 'kube-system';
const LABELS = { 'k8s-app': 'kube-dns' };
const METADATA = { name: NAME, namespace: SYSTEM };
const RBAC = 'rbac.authorization.k8s.io';

/** CoreDNS without kubeadm. */
export const corednsOwn = dedicated(
  'objects',
  kubeObjects,
  'CoreDNS, with the domain, zones, upstream servers, rewrites and hosts of this cluster.',
  (params: OwnCoredns) =>
    kubeObjects({ name: 'CoreDNS', objects: objectsOf(params), kubeconfig: KUBERNETES.adminConf }),
);

function objectsOf(params: OwnCoredns): readonly JsonObject[] {
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: METADATA },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'system:coredns' },
      rules: [
        { apiGroups: [''], resources: ['endpoints', 'services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
      ],
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'system:coredns' },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'system:coredns' },
      subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: SYSTEM }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: METADATA, data: corednsData(params) },
    serviceOf(params),
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...METADATA, labels: LABELS },
      spec: {
        replicas: params.replicas,
        selector: { matchLabels: LABELS },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
        template: { metadata: { labels: LABELS }, spec: podOf(params) },
      },
    },
  ];
}

function serviceOf({ addresses }: OwnCoredns): JsonObject {
  const port = (name: string, number: number, protocol: string) => ({
    name,
    port: number,
    protocol,
    targetPort: number,
  });
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kube-dns',
      namespace: SYSTEM,
      labels: { ...LABELS, 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS' },
      annotations: { 'prometheus.io/port': '9153', 'prometheus.io/scrape': 'true' },
    },
    spec: {
      clusterIP: addresses[0] ?? '',
      selector: LABELS,
      ports: [port('dns', 53, 'UDP'), port('dns-tcp', 53, 'TCP'), port('metrics', 9153, 'TCP')],
    },
  };
}

function podOf(params: OwnCoredns): JsonObject {
  const port = (name: string, containerPort: number, protocol: string) => ({ name, containerPort, protocol });
  return {
    serviceAccountName: NAME,
    priorityClassName: 'system-cluster-critical',
    dnsPolicy: 'Default',
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    topologySpreadConstraints: [spreadOver(params.nodes)],
    tolerations: [
      { key: 'CriticalAddonsOnly', operator: 'Exists' },
      { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' },
    ],
    containers: [
      {
        name: NAME,
        image: params.image,
        imagePullPolicy: 'IfNotPresent',
        args: ['-conf', '/etc/coredns/Corefile'],
        resources: { limits: { memory: '170Mi' }, requests: { cpu: '100m', memory: '70Mi' } },
        ports: [port('dns', 53, 'UDP'), port('dns-tcp', 53, 'TCP'), port('metrics', 9153, 'TCP')],
        livenessProbe: {
          httpGet: { path: '/health', port: 8080, scheme: 'HTTP' },
          initialDelaySeconds: 60,
          timeoutSeconds: 5,
          successThreshold: 1,
          failureThreshold: 5,
        },
        readinessProbe: { httpGet: { path: '/ready', port: 8181, scheme: 'HTTP' }, ...READINESS },
        securityContext: {
          allowPrivilegeEscalation: false,
          capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
          readOnlyRootFilesystem: true,
        },
        volumeMounts: [{ name: 'config-volume', mountPath: '/etc/coredns', readOnly: true }],
      },
    ],
    volumes: corednsVolumes(params),
  };
}
