import type { HealthRow } from '../../model/report.ts';
import { defineStep } from '../../plan/step.ts';

/** What the cluster says of one of its parts. */
interface Part {
  readonly kind: 'Node' | 'Pod' | 'DaemonSet' | 'Deployment' | 'Lease';
  readonly namespace?: string;
  readonly name: string;
  readonly version?: string;
  readonly addresses?: readonly string[];
  readonly cordoned?: boolean;
  /** The condition that says that it is well, if it holds. */
  readonly is?: 'Ready' | 'Available';
  readonly ready?: number;
  readonly wanted?: number;
  /** When the leader last renewed its lease, and the time on the master that was asked. */
  readonly renewed?: string;
  readonly now?: string;
}

/** What a cluster should be made of, and what it said that it is. */
export interface HealthReport {
  readonly cluster: string;
  readonly nodes: readonly { readonly name: string; readonly roles: readonly string[] }[];
  /** Static pods or API servers of each master: `etcd` is `etcd-cp1` on cp1. */
  readonly controlPlane: readonly string[];
  /** Services of which one leads at a time, whatever master it is on. */
  readonly led?: readonly string[];
  /** Daemon sets and deployments. */
  readonly addOns: readonly { readonly title: string; readonly namespace: string; readonly name: string }[];
  /** One line of JSON for each part. */
  readonly said: string;
}

/** A few fields of each object, as a line of JSON: all of five thousand nodes is more than a look should carry. */
export const PARTS = [
  '{{range .items}}{"kind":"{{.kind}}","name":"{{.metadata.name}}"',
  '{{with .metadata.namespace}},"namespace":"{{.}}"{{end}}',
  '{{with .spec.unschedulable}},"cordoned":true{{end}}',
  '{{with .status.nodeInfo}},"version":"{{.kubeletVersion}}"{{end}}',
  '{{with .status.addresses}},"addresses":[{{$x := ""}}{{range .}}{{if eq .type "InternalIP"}}{{$x}}{{$x = ","}}"{{.address}}"{{end}}{{end}}]{{end}}',
  '{{range .status.conditions}}{{if and (eq .status "True") (or (eq .type "Ready") (eq .type "Available"))}},"is":"{{.type}}"{{end}}{{end}}',
  '{{with or .status.numberReady .status.readyReplicas}},"ready":{{.}}{{end}}',
  '{{with or .status.desiredNumberScheduled .spec.replicas}},"wanted":{{.}}{{end}}',
  '}{{"\\n"}}{{end}}',
].join('');

const LEASE_SECONDS = 30;

/** How each part of the cluster is. */
export function healthRows(report: HealthReport): readonly HealthRow[] {
  const parts = partsIn(report.said);
  const found = new Map(parts.filter(({ kind }) => kind === 'Node').map((node) => [node.name, node]));
  const nodes = report.nodes.map(({ name, roles }) => nodeRow(name, roles, found.get(name)));
  return [...nodes, ...controlPlaneRows(report, parts), ...addOnRows(report, parts)];
}

function nodeRow(name: string, roles: readonly string[], node: Part | undefined): HealthRow {
  const row = { part: 'node', name } as const;
  if (node === undefined) return { ...row, state: '-', details: '', finding: { code: 'KX4702', params: {} } };
  const state = [node.is === 'Ready' ? 'Ready' : 'NotReady', ...(node.cordoned ? ['SchedulingDisabled'] : [])].join(
    ',',
  );
  const details = [roles.join(', '), node.version ?? '', (node.addresses ?? []).join(', ')].join(' · ');
  const finding = node.is === 'Ready' ? null : { code: 'KX4701' as const, params: { node: name }, note: details };
  return { ...row, state, details, finding };
}

function controlPlaneRows(
  { controlPlane, nodes, led = [] }: HealthReport,
  parts: readonly Part[],
): readonly HealthRow[] {
  const masters = nodes.filter(({ roles }) => roles.includes('master'));
  const wanted = masters.length;
  const well = new Set(parts.flatMap(({ kind, name, is }) => (kind === 'Pod' && is === 'Ready' ? [name] : [])));
  const pods = controlPlane.map((name) => {
    const ready = masters.filter((master) => well.has(`${name}-${master.name}`)).length;
    return partRow('control-plane', name, 'kube-system', { ready, wanted, isWell: ready === wanted });
  });
  const leaders = led.map((name) => {
    const isWell = parts.some((part) => part.kind === 'Lease' && part.name === name && isFresh(part));
    return partRow('control-plane', name, 'kube-system', { ready: isWell ? 1 : 0, wanted: 1, isWell });
  });
  return [...pods, ...leaders];
}

/** Who leads says so every two seconds; after fifteen another takes its place. */
function isFresh({ renewed = '', now = '' }: Part): boolean {
  return Date.parse(now) - Date.parse(renewed) < LEASE_SECONDS * 1000;
}

function addOnRows({ addOns }: HealthReport, parts: readonly Part[]): readonly HealthRow[] {
  return addOns.map(({ title, namespace, name }) => {
    const part = parts.find(
      (one) => one.kind !== 'Node' && one.kind !== 'Pod' && one.namespace === namespace && one.name === name,
    );
    const { ready = 0, wanted = 0 } = part ?? {};
    // A deployment serves as soon as it is available, though its last pod is still starting.
    const isWell = part?.is === 'Available' || (wanted > 0 && ready >= wanted);
    return partRow('add-on', title, namespace, { ready, wanted, isWell });
  });
}

function partRow(
  part: HealthRow['part'],
  name: string,
  namespace: string,
  { ready, wanted, isWell }: { readonly ready: number; readonly wanted: number; readonly isWell: boolean },
): HealthRow {
  const finding = isWell ? null : { code: 'KX4703' as const, params: { namespace } };
  return { part, name, state: `${ready}/${wanted}`, details: '', finding };
}

function partsIn(text: string): readonly Part[] {
  const lines = text.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
  return lines.map((line) => JSON.parse(line) as Part);
}

/** Reports how the cluster is. Whether it is well enough was waited for before: here people see it. */
export const healthReport = defineStep<HealthReport>()({
  kind: 'healthReport',
  description: 'Reports how the nodes and the parts of a cluster are, and how to look further.',
  title: () => 'table of health',
  nature: 'action',
  apply: async (_host, want, io): Promise<void> => {
    io.report({ type: 'health', cluster: want.cluster, rows: healthRows(want) });
  },
  example: { cluster: 'demo', nodes: [], controlPlane: [], addOns: [], said: '' },
});
