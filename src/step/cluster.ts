import type { JsonObject } from '../model/json.ts';
import { sh } from '../model/script.ts';
import type { Wanted } from '../plan/ref.ts';
import { dedicated, defineStep, needed, satisfied } from '../plan/step.ts';
import { type Kept, kubeObjects, type ObjectPatch, query, waitForCommand } from './generic/index.ts';
import { KUBERNETES } from './kubeadm.ts';
import { type Kubeconfig, kubeconfig } from './kubeconfig.ts';

const KUBECTL = `kubectl --kubeconfig ${KUBERNETES.adminConf} --request-timeout=20s`;

/** A manifest of a project, applied with what this cluster changes in it. */
export const applyManifest = dedicated(
  'manifest',
  kubeObjects,
  'Apply the manifest of a project, with what this cluster changes in it.',
  (params: {
    readonly name: string;
    readonly source: Wanted<Kept>;
    readonly images: Readonly<Record<string, string>>;
    readonly patches: readonly ObjectPatch[];
  }) =>
    kubeObjects({
      name: params.name,
      manifest: { source: params.source, images: params.images, patches: params.patches },
      kubeconfig: KUBERNETES.adminConf,
    }),
);

/** Objects of kubexm's own. */
export const applyObjects = dedicated(
  'objects',
  kubeObjects,
  'Apply objects to the cluster.',
  (params: { readonly name: string; readonly objects: readonly JsonObject[] }) =>
    kubeObjects({ ...params, kubeconfig: KUBERNETES.adminConf }),
);

/** A rollout that is complete. */
export const rolledOut = dedicated(
  'rolled-out',
  waitForCommand,
  'Wait until a workload of the cluster runs everywhere it should.',
  (params: { readonly what: string; readonly namespace: string; readonly timeoutSeconds?: number }) =>
    waitForCommand({
      run: `${KUBECTL} -n ${params.namespace} rollout status ${params.what} --timeout=5s >/dev/null`,
      purpose: `${params.namespace}/${params.what}`,
      timeoutSeconds: params.timeoutSeconds ?? 300,
      intervalSeconds: 1,
    }),
);

/** Every node that has joined is ready. */
export const nodesReady = dedicated(
  'nodes-ready',
  waitForCommand,
  'Wait until every node that has joined is ready.',
  (_params: object) =>
    waitForCommand({
      run: `${KUBECTL} wait nodes --all --for=condition=Ready --timeout=5s >/dev/null`,
      purpose: 'nodes to be ready',
      timeoutSeconds: 300,
      intervalSeconds: 1,
    }),
);

const nodeLabelsStep = defineStep<NodeLabels>()({
  kind: 'nodeLabels',
  description: 'Labels of a node that has joined.',
  title: (want) => `labels of ${want.node}`,
  probe: (want) => sh`${{ script: KUBECTL }} get node ${want.node} -o json`,
  judge: (output, want) => {
    const now = output.code === 0 ? labelsIn(output.stdout) : {};
    const missing = Object.entries(want.labels).filter(([key, value]) => now[key] !== value);
    if (missing.length === 0) return satisfied();
    const diff = missing.map(([key, to]) => ({ what: key, ...(now[key] === undefined ? {} : { from: now[key] }), to }));
    return needed(Object.fromEntries(missing.map(([key]) => [key, now[key] ?? null])), diff);
  },
  apply: (_host, want) => {
    const words = Object.entries(want.labels).map(([key, value]) => `${key}=${value}`);
    return sh`${{ script: KUBECTL }} label node ${want.node} --overwrite ${words}`;
  },
  revert: (_host, want, before: Readonly<Record<string, string | null>>) => {
    const words = Object.entries(before).map(([key, value]) => (value === null ? `${key}-` : `${key}=${value}`));
    return sh`${{ script: KUBECTL }} label node ${want.node} --overwrite ${words} || :`;
  },
  // They live in the cluster, not on this machine.
  owns: () => [],
  example: { node: 'node1', labels: { 'node-role.kubernetes.io/worker': '' } },
});

/** The labels of one node. */
export interface NodeLabels {
  readonly node: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The labels of one node. */
export const nodeLabels = dedicated('labels', nodeLabelsStep, 'Labels of a node.', (params: NodeLabels) =>
  nodeLabelsStep(params),
);

function labelsIn(text: string): Readonly<Record<string, string>> {
  try {
    const node = JSON.parse(text) as { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } };
    return node.metadata?.labels ?? {};
  } catch {
    return {};
  }
}

/** Fields of objects that others own too: labels of nodes, the configuration of CoreDNS. */
export const setFields = dedicated(
  'fields',
  kubeObjects,
  'Set fields of objects that others own too.',
  (params: { readonly name: string; readonly objects: readonly JsonObject[] }) =>
    kubeObjects({ ...params, shared: true, kubeconfig: KUBERNETES.adminConf }),
);

/** The administrator's kubeconfig, on the machine kubexm runs on. */
export const fetchKubeconfig = dedicated(
  'kubeconfig',
  kubeconfig,
  'The kubeconfig of the administrator, kept in the work directory, with an address that this machine reaches.',
  (params: Omit<Kubeconfig, 'path'>) => kubeconfig({ ...params, path: KUBERNETES.adminConf }),
);

/** What the cluster says about its health. */
export const health = dedicated('health', query, 'Ask the cluster how it is.', (_params: object) =>
  query({
    purpose: 'how the cluster is',
    run: `${KUBECTL} get nodes -o wide && echo && ${KUBECTL} get pods -A -o wide`,
  }),
);
