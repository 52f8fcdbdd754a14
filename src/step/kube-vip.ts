import type { JsonObject } from '../model/json.ts';
import { sh } from '../model/script.ts';
import type { Wanted } from '../plan/ref.ts';
import { dedicated } from '../plan/step.ts';
import { file, KUBECTL, query, waitForCommand } from './generic/index.ts';
import { manifestOf, staticPodFile } from './load-balancer/static-pod.ts';

const NAME = 'kube-vip';
const ADMIN = '/etc/kubernetes/admin.conf';
const SUPER_ADMIN = '/etc/kubernetes/super-admin.conf';

/** The manifest of kube-vip on a master. */
export const KUBE_VIP_MANIFEST = manifestOf(NAME);

/** The kubeconfig of an administrator, which exists on every master. */
export const KUBE_VIP_ADMIN = ADMIN;

/** kube-vip on a master. */
export interface KubeVip {
  readonly image: string;
  /** The virtual IPs, one per family. */
  readonly addresses: readonly string[];
  /** Where the API servers listen. */
  readonly port: number;
  readonly device: string;
  /** The loopback address at which a master reaches its own API server. */
  readonly loopback: string;
  /** The file on the host by which it reaches the API. */
  readonly kubeconfig: Wanted<string>;
  readonly metricsPort: number;
}

/**
 * By which file kube-vip reaches the API on the first master. Until `kubeadm init` is done the usual administrator may not do
 * anything: it is given its rights behind the virtual IP. From then on its manifest names the usual one.
 */
export const kubeVipAccess = dedicated(
  'access',
  query,
  'Ask by which kubeconfig kube-vip reaches the API on the first master.',
  (_: object) =>
    query({
      purpose: 'the kubeconfig of kube-vip',
      run: sh`if grep -qs ${`path: ${ADMIN}$`} ${KUBE_VIP_MANIFEST}; then echo ${ADMIN}; else echo ${SUPER_ADMIN}; fi`
        .script,
    }),
);

/** kube-vip as a static pod: the leader of the masters announces the virtual IP by ARP and neighbour discovery. */
export const kubeVipPod = dedicated('pod', file, 'kube-vip as a static pod.', (params: KubeVip) =>
  staticPodFile(NAME, podOf(params)),
);

/**
 * The kubelet has restarted kube-vip with the usual kubeconfig, and the virtual IP answers again. Which file a process has mounted
 * is in /proc, whatever the container runtime: without kubeadm it is what a link of the usual name leads to.
 */
export const kubeVipSettled = dedicated(
  'settled',
  waitForCommand,
  'Wait until kube-vip runs with the usual kubeconfig and the virtual IP answers.',
  (_: object) =>
    waitForCommand({
      purpose: 'kube-vip with the usual kubeconfig',
      run: sh`for kxv in /proc/[0-9]*; do
  [ "$(cat "$kxv/comm" 2>/dev/null)" = ${NAME} ] || continue
  grep -Eqs ${`/admin[.](kube)?conf(ig)? ${ADMIN} `} "$kxv/mountinfo" || continue
  exec ${KUBECTL} --kubeconfig ${ADMIN} --request-timeout=5s get --raw /readyz
done
exit 1`.script,
      timeoutSeconds: 180,
    }),
);

function podOf({ image, addresses, port, device, loopback, kubeconfig, metricsPort }: KubeVip): Wanted<JsonObject> {
  const settings = {
    vip_arp: 'true',
    port: String(port),
    vip_interface: device,
    vip_subnet: addresses.map((address) => (address.includes(':') ? '128' : '32')).join(','),
    address: addresses.join(','),
    cp_enable: 'true',
    cp_namespace: 'kube-system',
    // Its own API server: before it holds the virtual IP nothing answers there. Version 1.2 would take what the kubeconfig names.
    kubernetes_addr: `https://kubernetes:${port}`,
    svc_enable: 'false',
    vip_leaderelection: 'true',
    vip_leasename: 'plndr-cp-lock',
    vip_leaseduration: '5',
    vip_renewdeadline: '3',
    vip_retryperiod: '1',
    prometheus_server: `127.0.0.1:${metricsPort}`,
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: NAME,
      namespace: 'kube-system',
      labels: { 'app.kubernetes.io/name': NAME, 'app.kubernetes.io/managed-by': 'kubexm' },
    },
    spec: {
      hostNetwork: true,
      // It reaches the API server of its own host under this name, which is in the certificate.
      hostAliases: [{ ip: loopback, hostnames: ['kubernetes'] }],
      priorityClassName: 'system-node-critical',
      terminationGracePeriodSeconds: 5,
      containers: [
        {
          name: NAME,
          image,
          imagePullPolicy: 'IfNotPresent',
          args: ['manager'],
          env: [
            ...Object.entries(settings).map(([name, value]) => ({ name, value })),
            { name: 'vip_nodename', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
          ],
          resources: { requests: { cpu: '25m', memory: '32Mi' } },
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'], add: ['NET_ADMIN', 'NET_RAW'] },
          },
          volumeMounts: [{ name: 'kubeconfig', mountPath: ADMIN, readOnly: true }],
        },
      ],
      volumes: [{ name: 'kubeconfig', hostPath: { path: kubeconfig, type: 'File' } }],
    },
  };
}
