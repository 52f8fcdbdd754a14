import type { Workload } from '../../component/index.ts';
import { lines, sh } from '../../model/script.ts';
import type { Ref, Wanted } from '../../plan/ref.ts';
import { dedicated, defineStep, needed, satisfied } from '../../plan/step.ts';
import { command, KUBECTL, query, waitForCommand } from '../generic/index.ts';
import { KUBERNETES } from '../kubeadm/index.ts';
import { homeKubeconfig, type LeftAlone, tellLeft } from '../kubeconfig/home.ts';
import { type HomeDirectory, homeDirectory } from '../kubeconfig/home-directory.ts';
import { type Kubeconfig, kubeconfig } from '../kubeconfig/index.ts';
import { type HealthReport, healthReport, PARTS } from './health.ts';
import { joinSecrets } from './join-secrets.ts';

/** A daemon set, and by which label its pods are found. */
type Daemon = Pick<Workload, 'namespace' | 'name' | 'selector'>;

const KUBECTL_OF_ADMIN = `${KUBECTL.join(' ')} --kubeconfig ${KUBERNETES.adminConf} --request-timeout=20s`;
const KUBECTL_OF_NODE = `${KUBECTL.join(' ')} --kubeconfig ${KUBERNETES.kubeletConf} --request-timeout=20s`;
/** Names and labels alone: all of five thousand nodes is more than a check should carry. */
const LABELS = `'jsonpath={range .items[*]}{.metadata.name}{"\\t"}{.metadata.labels}{"\\n"}{end}'`;

/** A deployment that serves, be some of its pods on a machine that is gone. */
export const deploymentServes = dedicated(
  'deployment-serves',
  waitForCommand,
  'Wait until a deployment of the cluster serves.',
  (params: Pick<Workload, 'namespace' | 'name'>) =>
    waitForCommand({
      run: `${KUBECTL_OF_ADMIN} -n ${params.namespace} wait deployment/${params.name} --for=condition=Available --timeout="$1s" >/dev/null`,
      purpose: `${params.namespace}/${params.name}`,
      timeoutSeconds: 300,
      intervalSeconds: 1,
    }),
);

/** A node that is ready. It asks for itself, with what its kubelet may see: no machine waits for one that is gone. */
export const nodeReady = dedicated(
  'nodes-ready',
  waitForCommand,
  'Wait until the node is ready.',
  (params: { readonly node: string }) =>
    waitForCommand({
      run: `${KUBECTL_OF_NODE} wait node/${params.node} --for=condition=Ready --timeout="$1s" >/dev/null`,
      purpose: `${params.node} to be ready`,
      timeoutSeconds: 300,
      intervalSeconds: 1,
    }),
);

/**
 * The revision of a daemon set that its pods are to have, as soon as its controller has seen the last change: before that, pods that
 * are about to be replaced look ready.
 */
export const daemonRevision = dedicated(
  'revision',
  waitForCommand,
  'Wait until the controller has seen the last change of a daemon set, and ask which revision it is.',
  ({ namespace, name, selector }: Daemon) => {
    const kubectl = `${KUBECTL_OF_ADMIN} -n ${namespace}`;
    return waitForCommand({
      // What kubectl has to say beside its answer would be taken for the answer.
      run: `seen=$(${kubectl} get daemonset ${name} -o 'jsonpath={.metadata.generation} {.status.observedGeneration}' 2>/dev/null) || exit
[ "\${seen% *}" = "\${seen#* }" ] || { echo "generation and what is seen of it: $seen"; exit 1; }
revision=$(${kubectl} get controllerrevisions -l ${selector} --sort-by=.revision -o 'jsonpath={.items[-1:].metadata.labels.controller-revision-hash}' 2>/dev/null) || exit
[ -n "$revision" ] && echo "$revision"`,
      purpose: `the revision of ${namespace}/${name}`,
      timeoutSeconds: 120,
      intervalSeconds: 1,
    });
  },
);

/** A pod of a daemon set, ready on this node. */
export const daemonReady = dedicated(
  'daemon-ready',
  waitForCommand,
  'Wait until the pod of a daemon set is ready on the node.',
  ({ node, namespace, selector, revision }: Daemon & { readonly node: string; readonly revision?: Ref<string> }) =>
    waitForCommand({
      run: `${KUBECTL_OF_NODE} -n ${namespace} wait pods -l ${revision === undefined ? selector : `"${selector},controller-revision-hash=$revision"`} --field-selector spec.nodeName=${node} --for=condition=Ready --timeout="$1s" >/dev/null`,
      ...(revision === undefined ? {} : { env: { revision } }),
      purpose: `${namespace}/${selector} on ${node}`,
      timeoutSeconds: 300,
      intervalSeconds: 1,
    }),
);

/** The static pods of a master: those that should be there, not those that are. */
export const controlPlaneReady = dedicated(
  'control-plane-ready',
  waitForCommand,
  'Wait until the control plane is ready on the master.',
  (params: { readonly node: string; readonly components: readonly string[] }) => {
    const pods = params.components.map((component) => `pod/${component}-${params.node}`).join(' ');
    return waitForCommand({
      run: `${KUBECTL_OF_NODE} -n kube-system wait ${pods} --for=condition=Ready --timeout="$1s" >/dev/null`,
      purpose: `the control plane on ${params.node}`,
      timeoutSeconds: 300,
      intervalSeconds: 1,
    });
  },
);

/** Labels by the names of nodes. */
export interface NodeLabels {
  readonly nodes: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

type Before = Readonly<Record<string, Readonly<Record<string, string | null>>>>;

/** `kxg_label WORDS NODE…` for the nodes that there are. One that has not joined, or is gone, has no labels. */
const LABEL_JOINED = sh`kxg_joined=$(${{ script: KUBECTL_OF_ADMIN }} get nodes -o name) || exit
kxg_label() {
  kxg_words=$1; shift; kxg_nodes=
  for kxg_n in "$@"; do
    if printf '%s\\n' "$kxg_joined" | grep -qxF "node/$kxg_n"; then kxg_nodes="$kxg_nodes $kxg_n"; fi
  done
  [ -z "$kxg_nodes" ] || ${{ script: KUBECTL_OF_ADMIN }} label nodes $kxg_nodes --overwrite $kxg_words
}`;

/** All nodes in one step: the cluster is asked once, be there five thousand of them. */
const nodeLabelsStep = defineStep<NodeLabels>()({
  kind: 'nodeLabels',
  description: 'Labels of the nodes that have joined. One that has not is left out: there is nothing to label yet.',
  title: (want) => `labels of ${Object.keys(want.nodes).length} nodes`,
  probe: () => sh`${{ script: KUBECTL_OF_ADMIN }} get nodes -o ${{ script: LABELS }}`,
  judge: (output, want) => {
    const now = output.code === 0 ? labelsIn(output.stdout) : undefined;
    const missing = Object.entries(want.nodes).flatMap(([node, labels]) => {
      const has = now === undefined ? {} : now[node];
      return Object.entries(labels)
        .filter(([key, value]) => has !== undefined && has[key] !== value)
        .map(([key, to]) => ({ node, key, to, from: has?.[key] }));
    });
    if (missing.length === 0) return satisfied();
    const diff = missing.map(({ node, key, to, from }) => ({
      what: `${node} ${key}`,
      ...(from === undefined ? {} : { from }),
      to,
    }));
    // Where nobody could say which labels there are, none is known to be taken back.
    return needed(now === undefined ? {} : beforeOf(missing), diff);
  },
  apply: (_host, want) =>
    lines(LABEL_JOINED, ...groups(want.nodes).map(([words, nodes]) => sh`kxg_label ${words} ${nodes} || exit`)),
  revert: (_host, _want, before: Before) => {
    const back = groups(before).map(([words, nodes]) => sh`kxg_label ${words} ${nodes} || kxg_code=$?`);
    if (back.length === 0) return sh`kx_report left 'every label stays: nobody knows which ones there were before'`;
    // One that cannot be put back is no reason to leave the others.
    return lines(LABEL_JOINED, sh`kxg_code=0`, ...back, sh`exit "$kxg_code"`);
  },
  // They live in the cluster, not on this machine.
  owns: () => [],
  timeoutSeconds: 180,
  example: { nodes: { node1: { 'node-role.kubernetes.io/worker': '' } } },
});

/** The labels of the nodes. */
export const nodeLabels = dedicated('labels', nodeLabelsStep, 'Labels of the nodes.', (params: NodeLabels) =>
  nodeLabelsStep(params),
);

/**
 * Nodes that get the same labels get them by one command; a label that is null goes. Neither names nor labels have characters that a
 * shell minds.
 */
function groups(nodes: NodeLabels['nodes'] | Before): readonly (readonly [string, readonly string[]])[] {
  const words = (labels: Before[string]) =>
    Object.entries(labels)
      .map(([key, value]) => (value === null ? `${key}-` : `${key}=${value}`))
      .join(' ');
  const found = Map.groupBy(Object.entries(nodes), ([, labels]) => words(labels));
  return [...found].map(([text, some]) => [text, some.map(([node]) => node)]);
}

function labelsIn(text: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const rows = text.split('\n').flatMap((line) => {
    const [name = '', labels = ''] = line.split('\t');
    return name === '' ? [] : [[name, JSON.parse(labels || '{}') as Readonly<Record<string, string>>] as const];
  });
  return Object.fromEntries(rows);
}

function beforeOf(
  missing: readonly { readonly node: string; readonly key: string; readonly from: string | undefined }[],
): Before {
  const byNode = Map.groupBy(missing, ({ node }) => node);
  return Object.fromEntries(
    [...byNode].map(([node, some]) => [node, Object.fromEntries(some.map(({ key, from }) => [key, from ?? null]))]),
  );
}

/** The administrator's kubeconfig, on the machine kubexm runs on. */
export const fetchKubeconfig = dedicated(
  'kubeconfig',
  kubeconfig,
  'The kubeconfig of the administrator, kept in the work directory, with an address that this machine reaches.',
  (params: Omit<Kubeconfig, 'path'>) => kubeconfig({ ...params, path: KUBERNETES.adminConf }),
);

/** Where a user of the machine has kubeconfigs. One without a home has none. */
export const homeOfUser = dedicated(
  'home',
  query,
  'Ask where a user of the machine has kubeconfigs.',
  ({ user }: { readonly user: string }) =>
    query({
      purpose: `the home of ${user}`,
      run: sh`h=$(getent passwd ${user} | cut -d: -f6); h=\${h%/}; [ -z "$h" ] || [ ! -d "$h" ] || printf %s "$h/.kube"`
        .script,
    }),
);

/** The directory of kubeconfigs in a home. */
export const kubeDirectory = dedicated(
  'kube-directory',
  homeDirectory,
  'The directory of kubeconfigs in the home of a user.',
  (params: Wanted<HomeDirectory>) => homeDirectory(params),
);

/** kubectl for a user of the machine. */
export const userKubeconfig = dedicated(
  'user-kubeconfig',
  homeKubeconfig,
  'A kubeconfig in the home of a user of the machine, unless there is one.',
  (params: { readonly dir: Ref<string>; readonly user: string }) =>
    homeKubeconfig({ ...params, source: KUBERNETES.adminConf }),
);

/** What was left alone. */
export const tellLeftAlone = dedicated(
  'left-alone',
  tellLeft,
  'Tell of a kubeconfig that was there before and is left alone.',
  (params: Wanted<LeftAlone>) => tellLeft(params),
);

/** Nothing is left that lets somebody join. */
export const joinSecretsGone = dedicated(
  'join-secrets',
  joinSecrets,
  'Remove the tokens that were made for nodes to join.',
  (_params: object) => joinSecrets({}),
);

/** What the cluster says about its parts: also for programs that read the events of the run. The many come last. */
export const askHealth = dedicated(
  'health',
  command,
  'Ask the cluster how it is.',
  ({
    namespaces,
    services = [],
  }: {
    readonly namespaces: readonly string[];
    readonly services?: readonly string[];
  }) => {
    const get = (what: string) =>
      sh`${{ script: KUBECTL_OF_ADMIN }} get ${{ script: what }} -o ${`go-template=${PARTS}`}`;
    const asked = [
      ...services,
      get('pods -n kube-system -l tier=control-plane'),
      ...namespaces.map((namespace) => get(`daemonsets,deployments -n ${namespace}`)),
      get('nodes'),
    ];
    return command({
      purpose: 'ask how the cluster is',
      run: asked.map((one) => (typeof one === 'string' ? one : one.script)).join(' &&\n'),
      retry: { attempts: 5, delaySeconds: 2, onCodes: [1] },
    });
  },
);

/** Tells it. */
export const tellHealth = dedicated(
  'report',
  healthReport,
  'Show how the cluster is, and how to look further.',
  (want: Wanted<HealthReport>) => healthReport(want),
);
