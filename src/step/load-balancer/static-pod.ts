import type { JsonObject } from '../../model/json.ts';
import type { Wanted } from '../../plan/ref.ts';
import { dedicated } from '../../plan/step.ts';
import { type Content, directory, file } from '../generic/index.ts';
import { MANIFESTS } from '../kubeadm/places.ts';

/** The manifest of a static pod. */
export const manifestOf = (name: string): string => `${MANIFESTS}/${name}.yaml`;

/** A proxy in a static pod. */
export interface ProxyPod {
  readonly image: string;
  /** Its configuration: the pod restarts when this changes. */
  readonly digest: Wanted<string>;
  /** Where it says whether it is healthy. */
  readonly healthAddress: string;
  readonly healthPort: number;
}

/** What tells one proxy from another. */
interface ProxyPodShape extends ProxyPod {
  readonly name: string;
  /** Its configuration on the host and in the container. */
  readonly config: string;
  readonly mountPath: string;
  readonly capabilities: readonly string[];
  readonly probe: JsonObject;
}

/** A proxy on the network of the host. Its configuration's digest is an annotation: the kubelet restarts a pod whose manifest changes. */
export function proxyPod(shape: ProxyPodShape): Wanted<JsonObject> {
  const { name, image, digest, config, mountPath, capabilities, probe } = shape;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'kube-system',
      labels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/managed-by': 'kubexm' },
      annotations: { 'kubexm.mensylisir.io/config': digest },
    },
    spec: {
      hostNetwork: true,
      dnsPolicy: 'Default',
      priorityClassName: 'system-node-critical',
      // Its connections may last for hours. Clients connect again.
      terminationGracePeriodSeconds: 5,
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name,
          image,
          imagePullPolicy: 'IfNotPresent',
          resources: { requests: { cpu: '25m', memory: '32Mi' } },
          // The port of the control plane may be a privileged one.
          securityContext: {
            runAsUser: 0,
            runAsGroup: 0,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE', ...capabilities] },
          },
          livenessProbe: { ...probe, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
          readinessProbe: { ...probe, periodSeconds: 5, timeoutSeconds: 5 },
          volumeMounts: [{ name: 'config', mountPath, readOnly: true }],
        },
      ],
      volumes: [{ name: 'config', hostPath: { path: config, type: 'File' } }],
    },
  };
}

/** A manifest for the kubelet. */
export function staticPodFile(name: string, pod: Wanted<JsonObject>) {
  return file({
    path: manifestOf(name),
    content: { documents: [pod] } as unknown as Wanted<Content>,
    mode: '0600',
    owner: 'root:root',
  });
}

/** A directory of a load balancer. */
export const balancerDirectory = dedicated(
  'directory',
  directory,
  'A directory of a load balancer.',
  ({ path }: { readonly path: string }) => directory({ path, mode: '0755', owner: 'root:root' }),
);
