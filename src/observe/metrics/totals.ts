import type { Outcome, RunEvent, RunOutcome } from '../../model/event.ts';

/** What is counted. The first are counters and histograms, which only grow; the last two are gauges. */
export type TotalName =
  | 'pipeline_total'
  | 'pipeline_duration'
  | 'step_duration'
  | 'node_outcomes'
  | 'hosts_lost'
  | 'run_nodes'
  | 'last_finished';

/** A counted number. Histograms have one for each bucket, `bucket` being the index of its upper bound. */
export interface Total {
  readonly name: TotalName;
  /** The values of its labels, in the order in which `render.ts` names them. */
  readonly labels: readonly string[];
  readonly bucket: number;
  readonly n: number;
  readonly sum: number;
}

/** Upper bounds in seconds; whatever is above them all has the index of the end. */
export const BUCKETS = {
  pipeline_duration: [1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200],
  step_duration: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800],
} as const;

/** Totals that are replaced by a newer value instead of added to. */
export const GAUGES: ReadonlySet<TotalName> = new Set(['run_nodes', 'last_finished']);

// A satisfied step was looked at, not executed: its duration would blur those of the work.
const WORKED: ReadonlySet<Outcome> = new Set(['changed', 'ran', 'failed', 'reverted', 'dirty']);

const STATUS: Readonly<Record<RunOutcome, string>> = {
  succeeded: 'success',
  failed: 'failure',
  partial: 'partial',
  interrupted: 'interrupted',
};

/**
 * Counts events. The event store adds each batch's totals to those it keeps; without a store they are kept in memory. Dry runs
 * are not counted.
 */
export class Tally {
  readonly #dryRuns = new Set<string>();

  /** What these events add. May be asked again for the same events. */
  count(events: readonly RunEvent[]): readonly Total[] {
    const totals = new Map<string, Total>();
    for (const event of events) {
      if (event.type === 'run-started' && event.dryRun) this.#dryRuns.add(event.run);
      if (this.#dryRuns.has(event.run)) continue;
      for (const one of totalsOf(event)) addTo(totals, one);
    }
    return [...totals.values()];
  }
}

/** Adds totals to totals that are kept by key. */
export function addTo(totals: Map<string, Total>, one: Total): void {
  const key = [one.name, one.bucket, ...one.labels].join('\0');
  const before = totals.get(key);
  const grown =
    before === undefined || GAUGES.has(one.name) ? one : { ...one, n: before.n + one.n, sum: before.sum + one.sum };
  totals.set(key, grown);
}

function totalsOf(event: RunEvent): readonly Total[] {
  switch (event.type) {
    case 'run-started':
      return [total('run_nodes', [labelOf(event.pipeline)], event.nodes)];
    case 'host-lost':
      return [total('hosts_lost', [], 1)];
    case 'node-finished':
      return [
        total('node_outcomes', [event.outcome], 1),
        ...(WORKED.has(event.outcome) ? [observed('step_duration', stepOf(event.node), event.durationMs)] : []),
      ];
    case 'run-finished': {
      const pipeline = labelOf(event.pipeline);
      return [
        total('pipeline_total', [pipeline, STATUS[event.outcome]], 1),
        observed('pipeline_duration', pipeline, event.durationMs),
        total('last_finished', [pipeline, STATUS[event.outcome]], event.at / 1000),
      ];
    }
    default:
      return [];
  }
}

function total(name: TotalName, labels: readonly string[], n: number): Total {
  return { name, labels, bucket: 0, n, sum: 0 };
}

function observed(name: keyof typeof BUCKETS, label: string, ms: number): Total {
  const seconds = ms / 1000;
  const index = BUCKETS[name].findIndex((bound) => seconds <= bound);
  return { name, labels: [label], bucket: index < 0 ? BUCKETS[name].length : index, n: 1, sum: seconds };
}

/** `create cluster` is `create_cluster` in metrics. */
function labelOf(pipeline: string): string {
  return pipeline.replace(/[^A-Za-z0-9]+/g, '_');
}

/** A step is the same on every host. */
function stepOf(node: string): string {
  const at = node.lastIndexOf('@');
  return at < 0 ? node : node.slice(0, at);
}
