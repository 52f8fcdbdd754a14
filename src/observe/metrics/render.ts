import { Counter, Gauge, type Histogram, Registry } from 'prom-client';
import { BUCKETS, type Total, type TotalName } from './totals.ts';

/** Totals as Prometheus reads them, from a registry of their own. */
export async function renderMetrics(totals: readonly Total[]): Promise<string> {
  const registry = new Registry();
  const of = (name: TotalName) => totals.filter((one) => one.name === name);

  counter('kubexm_pipeline_total', 'Runs that ended.', ['pipeline', 'status'], of('pipeline_total'));
  histogram('kubexm_pipeline_duration_seconds', 'How long runs took.', 'pipeline', 'pipeline_duration');
  histogram('kubexm_step_duration_seconds', 'How long steps took that did something.', 'step', 'step_duration');
  counter('kubexm_node_outcomes_total', 'Steps on hosts, by how they ended.', ['outcome'], of('node_outcomes'));
  counter('kubexm_hosts_lost_total', 'Hosts lost during runs.', [], of('hosts_lost'));
  gauge('kubexm_run_nodes', 'Steps on hosts that the latest run has.', ['pipeline'], of('run_nodes'));
  const finished = 'kubexm_pipeline_last_finished_timestamp_seconds';
  gauge(finished, 'When a run last ended so.', ['pipeline', 'status'], of('last_finished'));
  return registry.metrics();

  function counter(name: string, help: string, labelNames: readonly string[], values: readonly Total[]): void {
    const metric = new Counter({ name, help, labelNames, registers: [registry] });
    for (const { labels, n } of values) metric.inc(labelled(labelNames, labels), n);
  }
  function gauge(name: string, help: string, labelNames: readonly string[], values: readonly Total[]): void {
    const metric = new Gauge({ name, help, labelNames, registers: [registry] });
    for (const { labels, n } of values) metric.set(labelled(labelNames, labels), n);
  }
  function histogram(name: string, help: string, label: string, kind: keyof typeof BUCKETS): void {
    const values = [...Map.groupBy(of(kind), (one) => one.labels[0] ?? '')].flatMap(([value, buckets]) =>
      seriesOf(name, { [label]: value }, BUCKETS[kind], buckets),
    );
    // prom-client's own histogram can only be fed one observation at a time; the registry asks for nothing but this.
    const metric = {
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      get: async () => ({ name, help, type: 'histogram', values }),
    };
    registry.registerMetric(metric as unknown as Histogram);
  }
}

function labelled(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']));
}

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

function seriesOf(
  name: string,
  labels: Readonly<Record<string, string>>,
  bounds: readonly number[],
  buckets: readonly Total[],
): readonly Sample[] {
  let below = 0;
  const counts = [...bounds, '+Inf'].map((le, i) => {
    below += buckets.find((one) => one.bucket === i)?.n ?? 0;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below };
  });
  const sum = buckets.reduce((all, one) => all + one.sum, 0);
  return [
    ...counts,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: below },
  ];
}
