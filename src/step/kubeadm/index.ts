import { KUBELET_DIR } from '../../model/cluster/places.ts';
import type { Effect } from '../../model/effect.ts';
import type { Output } from '../../model/host.ts';
import type { Json } from '../../model/json.ts';
import { sh } from '../../model/script.ts';
import type { Ref, Wanted } from '../../plan/ref.ts';
import { dedicated, defineStep } from '../../plan/step.ts';
import { kubeletKubeadmDropIn, kubeletUnit } from '../../templates/kubelet.ts';
import { type Content, directory, file, KUBECTL, onceCommand, service } from '../generic/index.ts';
import { type ClusterSettings, initDocuments, type JoinSettings, joinDocument, type NodeSettings } from './config.ts';
import { etcdMember, type NodePlaces, placesEffects, resetForAnotherTry, resetNode } from './places.ts';

/** Where kubeadm and the kubelet have their files. */
export const KUBERNETES = {
  adminConf: '/etc/kubernetes/admin.conf',
  kubeletConf: '/etc/kubernetes/kubelet.conf',
  kubeadmConfig: '/etc/kubernetes/kubeadm-config.yaml',
  patches: '/etc/kubernetes/patches',
  kubelet: '/usr/local/bin/kubelet',
  kubeletDir: KUBELET_DIR,
  unit: '/etc/systemd/system/kubelet.service',
  dropIn: '/etc/systemd/system/kubelet.service.d/10-kubeadm.conf',
} as const;

/**
 * A node that lost its power while it joined counts as ready for most of a minute, and kubeadm joins none that is: it is tried
 * again until the cluster has noticed. A living node of that name stays ready, and the last try says so.
 */
const joinUnlessReady = (places: NodePlaces): string =>
  sh`code=0 tries=10
until kubeadm join --config "$KX_CONFIG" 2>"$KX_CONFIG.said"; do
  code=$?
  cat "$KX_CONFIG.said" >&2
  tries=$((tries - 1))
  { [ "$tries" -gt 0 ] && grep -q 'status "Ready" already exists' "$KX_CONFIG.said"; } || break
  echo 'the cluster still takes the node that was here for ready'
  ${resetForAnotherTry(places)}
  code=0
  sleep 10
done
exit "$code"`.script;

/** What exists on a node as soon as kubeadm has begun. The data of an etcd is nobody's to delete who has not made it. */
const traces = ({ etcdDir }: NodePlaces): readonly string[] => [
  '/etc/kubernetes/kubelet.conf',
  '/etc/kubernetes/pki/ca.crt',
  '/var/lib/kubelet/config.yaml',
  ...(etcdDir === undefined ? [] : [etcdMember(etcdDir)]),
];

/** A directory of Kubernetes. */
export const kubernetesDirectory = dedicated(
  'directory',
  directory,
  'A directory of Kubernetes.',
  (params: { readonly path: string }) => directory({ path: params.path, mode: '0755', owner: 'root:root' }),
);

/** The unit of the kubelet. */
export const kubeletUnitFile = dedicated(
  'kubelet-unit',
  file,
  'The unit of the kubelet.',
  (params: { readonly runtime: string }) =>
    file({
      path: KUBERNETES.unit,
      content: { template: kubeletUnit, values: { program: KUBERNETES.kubelet, runtime: params.runtime } },
      mode: '0644',
      owner: 'root:root',
    }),
);

/** How kubeadm gives the kubelet its flags. */
export const kubeletDropIn = dedicated(
  'kubelet-drop-in',
  file,
  'How kubeadm gives the kubelet its flags.',
  (_params: object) =>
    file({
      path: KUBERNETES.dropIn,
      content: { template: kubeletKubeadmDropIn, values: { program: KUBERNETES.kubelet } },
      mode: '0644',
      owner: 'root:root',
    }),
);

/** The kubelet starts with the machine. kubeadm starts it when there is something for it to do. */
export const kubeletEnabled = dedicated(
  'kubelet-enabled',
  service,
  'The kubelet, started with the machine.',
  (params: { readonly places: NodePlaces; readonly effects: readonly Effect[] }) =>
    service({ unit: 'kubelet', enabled: true, effects: [...params.effects, ...placesEffects(params.places)] }),
);

/** The configuration for `kubeadm init`, kept on the host for reference. */
export const kubeadmConfigFile = dedicated(
  'kubeadm-config',
  file,
  'The kubeadm configuration of the cluster.',
  (params: { readonly cluster: ClusterSettings; readonly node: NodeSettings }) =>
    file({
      path: KUBERNETES.kubeadmConfig,
      content: { documents: initDocuments(params.cluster, params.node) },
      mode: '0600',
      owner: 'root:root',
    }),
);

/**
 * kubeadm lets a static pod call itself ready ten to twenty seconds after it is, in which everybody waits for it. It is asked every
 * second instead, and for as long in all.
 */
export const controlPlanePatch = dedicated(
  'patch',
  file,
  'A static pod of the control plane is called ready as soon as it is.',
  ({ component }: { readonly component: string }) =>
    file({
      path: `${KUBERNETES.patches}/${component}+strategic.yaml`,
      content: {
        documents: [
          {
            spec: {
              containers: [
                {
                  name: component,
                  startupProbe: { initialDelaySeconds: 0, periodSeconds: 1, failureThreshold: 250 },
                },
              ],
            },
          },
        ],
      },
      mode: '0644',
      owner: 'root:root',
    }),
);

/** The first control plane. */
export const kubeadmInit = dedicated(
  'init',
  onceCommand,
  'Begin the cluster with kubeadm.',
  (params: { readonly places: NodePlaces }) =>
    onceCommand({
      name: 'kubeadm',
      purpose: 'kubeadm init',
      run: `kubeadm init --config ${KUBERNETES.kubeadmConfig} --skip-token-print`,
      undo: resetNode(params.places),
      traces: traces(params.places),
      timeoutSeconds: 900,
    }),
);

/** Longer than a controller manager usually takes to lead; who joins waits much longer. */
const SIGNED_SECONDS = 20;

/**
 * How long a token lets nodes join, and how old it may be when one begins to. Short, since a run that is killed leaves it behind; long
 * enough for the slowest `kubeadm join`, which gives up after five minutes. A node that comes later gets another token.
 */
const TOKEN = { ttl: '30m', freshSeconds: 20 * 60 } as const;

/** A token that lets nodes join for a short while, and the digest of the CA by which they know the cluster. */
const joinTokenStep = defineStep<{ readonly ttl: string }>()({
  kind: 'joinToken',
  description: 'A token of kubeadm that lets nodes join for a short while; made only when a node needs it.',
  title: () => 'token for nodes that join',
  nature: 'mint',
  freshSeconds: TOKEN.freshSeconds,
  // A node believes in the cluster once the controller manager has signed for the token. One that asks too early asks again five
  // seconds later: to wait here is shorter. Where nobody signs, kubeadm says so on the node that joins.
  apply: (_host, want) =>
    sh`said=$(kubeadm token create --kubeconfig ${KUBERNETES.adminConf} --ttl ${want.ttl} --description ${'kubexm: nodes that join'} --print-join-command) || exit
id=\${said#*--token }
id=\${id%%.*}
kx_uptime
end=$((kx_up + ${SIGNED_SECONDS}))
until [ "$kx_up" -ge "$end" ] || ${KUBECTL} --kubeconfig ${KUBERNETES.adminConf} --request-timeout=5s -n kube-public get configmap cluster-info -o 'jsonpath={.data}' 2>/dev/null | grep -q "jws-kubeconfig-$id"; do
  sleep 0.2 2>/dev/null || sleep 1
  kx_uptime
done
printf '%s\\n' "$said"`,
  result: (output: Output): { readonly token: string; readonly caCertHash: string } => {
    const token = /--token (\S+)/.exec(output.stdout)?.[1];
    const caCertHash = /--discovery-token-ca-cert-hash (\S+)/.exec(output.stdout)?.[1];
    if (token === undefined || caCertHash === undefined) throw new Error('kubeadm printed no command to join');
    return { token, caCertHash };
  },
  timeoutSeconds: 120,
  example: { ttl: TOKEN.ttl },
});

/** The token for joining nodes: one for all that join within some minutes. */
export const joinToken = dedicated('join-token', joinTokenStep, 'A short-lived token for nodes that join.', () =>
  joinTokenStep({ ttl: TOKEN.ttl }),
);

const certificateKeyStep = defineStep<object>()({
  kind: 'certificateKey',
  description: 'Uploads the certificates of the control plane, encrypted, for masters that join; gives the key.',
  title: () => 'certificates for masters that join',
  nature: 'mint',
  // Without its configuration kubeadm asks the internet which version there is. With one it takes no key, but makes and prints it.
  apply: () =>
    sh`kubeadm init phase upload-certs --upload-certs --config ${KUBERNETES.kubeadmConfig} --kubeconfig ${KUBERNETES.adminConf}`,
  result: (output: Output): string => {
    const key = /^[0-9a-f]{64}$/m.exec(output.stdout)?.[0];
    if (key === undefined) throw new Error('kubeadm printed no key');
    return key;
  },
  example: {},
});

/** The key of the uploaded certificates. */
export const certificateKey = dedicated(
  'certificate-key',
  certificateKeyStep,
  'The certificates of the control plane, uploaded for masters that join.',
  () => certificateKeyStep({}),
);

/** A node that joins. */
export const kubeadmJoin = dedicated(
  'join',
  onceCommand,
  'Join the cluster with kubeadm.',
  (params: {
    readonly join: JoinSettings;
    readonly node: NodeSettings;
    readonly places: NodePlaces;
    /** The node that has to have joined before. */
    readonly after?: Ref<Json>;
  }) =>
    onceCommand({
      name: 'kubeadm',
      purpose: 'kubeadm join',
      run: joinUnlessReady(params.places),
      config: { documents: [joinDocument(params.join, params.node)] } as unknown as Wanted<Content>,
      undo: resetNode(params.places),
      traces: traces(params.places),
      timeoutSeconds: 900,
      ...(params.after === undefined ? {} : { after: params.after }),
    }),
);

/** The kubelet, running with the files that are there now. */
export const kubeletRunning = dedicated(
  'kubelet',
  service,
  'The kubelet, running with the files that are there now.',
  (params: { readonly fingerprint: Wanted<readonly string[]> }) =>
    service({
      unit: 'kubelet',
      running: 'started',
      settleSeconds: 0,
      fingerprint: params.fingerprint,
      reads: [KUBERNETES.unit, KUBERNETES.dropIn, KUBERNETES.kubelet, '/var/lib/kubelet/config.yaml'],
    }),
);
