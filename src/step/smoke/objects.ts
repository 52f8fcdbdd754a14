import type { JsonObject } from '../../model/json.ts';

/** What the check of a cluster is made of. */
export const SMOKE = {
  namespace: 'kubexm-check',
  /** The component of the catalog, its image, and the name of all objects. */
  name: 'testserver',
  /** The Service that has a port on every node. */
  nodePortService: 'testserver-node',
  port: 8080,
  servicePort: 80,
} as const;

const LABELS = { 'app.kubernetes.io/name': SMOKE.name, 'app.kubernetes.io/managed-by': 'kubexm' };
const SELECTOR = { 'app.kubernetes.io/name': SMOKE.name };

/** A server on every node, control planes too, and a Service for it with a port on every node. */
export function smokeObjects(image: string): readonly JsonObject[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SMOKE.namespace, labels: LABELS } },
    // The one of every namespace is made a moment after it: pods that come before are refused.
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata(SMOKE.name), automountServiceAccountToken: false },
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: metadata(SMOKE.name),
      spec: {
        selector: { matchLabels: SELECTOR },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '100%' } },
        template: { metadata: { labels: LABELS }, spec: podSpec(image) },
      },
    },
    service({ name: SMOKE.nodePortService }, 'NodePort'),
  ];
}

/** A Service with a name that no Service had before: DNS servers remember for half a minute where the last one was. */
export function freshService(): JsonObject {
  return service({ generateName: `${SMOKE.name}-` }, 'ClusterIP');
}

/** The strictest pod that there is: no cluster has a reason to refuse it. */
function podSpec(image: string): JsonObject {
  return {
    serviceAccountName: SMOKE.name,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 1,
    tolerations: [{ operator: 'Exists' }],
    securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: SMOKE.name,
        image,
        // It was imported: nobody has it to be pulled from.
        imagePullPolicy: 'Never',
        ports: [{ name: 'http', containerPort: SMOKE.port, protocol: 'TCP' }],
        readinessProbe: { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 1 },
        resources: { requests: { cpu: '1m', memory: '8Mi' } },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      },
    ],
  };
}

function service(name: JsonObject, type: 'ClusterIP' | 'NodePort'): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...name, namespace: SMOKE.namespace, labels: LABELS },
    spec: {
      type,
      ipFamilyPolicy: 'PreferDualStack',
      selector: SELECTOR,
      ports: [{ name: 'http', port: SMOKE.servicePort, protocol: 'TCP', targetPort: 'http' }],
    },
  };
}

function metadata(name: string): JsonObject {
  return { name, namespace: SMOKE.namespace, labels: LABELS };
}
