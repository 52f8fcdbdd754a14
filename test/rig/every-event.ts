import type { EventError, NodeRef, Outcome, RunEvent } from '../../src/model/event.ts';

const OUTCOMES: readonly Outcome[] = [
  'satisfied',
  'changed',
  'ran',
  'superseded',
  'would-change',
  'would-run',
  'failed',
  'skipped',
  'unknown',
  'reverted',
  'dirty',
];

type Types = RunEvent['type'];

/**
 * One event of every type, and a finished node of every outcome, for tests of whatever consumes events. `plant` is applied to
 * each text. A type that the union gains and this lacks does not compile.
 */
export function everyEvent(plant: (text: string) => string = (text) => text): readonly RunEvent[] {
  const base = { at: 1_700_000_000_000, run: plant('run-1') };
  const place: NodeRef = {
    node: plant('etcd/install/unit@node1'),
    host: plant('node1'),
    module: plant('etcd'),
    task: plant('etcd/install'),
    step: plant('unit'),
    kind: plant('file'),
    title: plant('file /etc/systemd/system/etcd.service'),
  };
  const error: EventError = {
    code: 'KX4002',
    params: { node: plant('etcd/install/unit@node1'), reason: plant('exit code 1') },
    detail: plant('line one\nline two'),
  };
  const diff = [{ what: plant('mode'), from: plant('0644'), to: plant('0600'), text: plant('@@ line 1 @@\n-a\n+b') }];
  const failed = (outcome: Outcome) => outcome === 'failed' || outcome === 'dirty' || outcome === 'unknown';
  const finished = (outcome: Outcome, i: number) => ({
    ...base,
    ...place,
    type: 'node-finished' as const,
    outcome,
    durationMs: 250 * i,
    diff,
    ...(failed(outcome) ? { error } : {}),
  });

  const events: { readonly [T in Types]: readonly Extract<RunEvent, { type: T }>[] } = {
    'run-started': [
      {
        ...base,
        type: 'run-started',
        pipeline: plant('create cluster'),
        cluster: plant('prod'),
        hosts: [plant('node1'), plant('node2')],
        nodes: 12,
        planHash: plant('sha256:77'),
        dryRun: false,
        resumed: false,
        estimateSeconds: 90,
      },
    ],
    'host-connected': [{ ...base, type: 'host-connected', host: plant('node1'), durationMs: 45 }],
    'host-lost': [
      {
        ...base,
        type: 'host-lost',
        host: plant('node2'),
        error: { code: 'KX4011', params: { host: plant('node2'), reason: plant('timeout') } },
      },
    ],
    'node-started': [{ ...base, ...place, type: 'node-started', diff }],
    'node-attached': [{ ...base, ...place, type: 'node-attached' }],
    'build-progress': [{ ...base, type: 'build-progress', programs: 10, built: 3, share: 0.42, leftSeconds: 350 }],
    'node-progress': [{ ...base, ...place, type: 'node-progress', done: 5, total: 10 }],
    'node-line': [{ ...base, ...place, type: 'node-line', line: plant('pulling') }],
    'node-output': [{ ...base, ...place, type: 'node-output', code: 1, stdout: plant('out'), stderr: plant('err') }],
    'node-report': [{ ...base, ...place, type: 'node-report', report: { type: 'left', text: plant('/srv/x stays') } }],
    'node-retry': [{ ...base, ...place, type: 'node-retry', attempt: 2, delaySeconds: 5, reason: plant('no route') }],
    'node-finished': OUTCOMES.map(finished),
    'task-finished': [
      {
        ...base,
        type: 'task-finished',
        task: plant('etcd/install'),
        module: plant('etcd'),
        outcome: 'failed',
        durationMs: 900,
      },
    ],
    'rollback-started': [
      { ...base, type: 'rollback-started', task: plant('etcd/install'), host: plant('node1'), nodes: [place.node] },
    ],
    'finalizers-started': [{ ...base, type: 'finalizers-started', nodes: 1 }],
    message: [
      { ...base, type: 'message', text: plant('the cluster is ready'), node: place.node },
      { ...base, type: 'message', text: { en: plant('checks are left out'), zh: plant('跳过检查') } },
    ],
    warning: [{ ...base, type: 'warning', error }],
    'run-finished': [
      {
        ...base,
        type: 'run-finished',
        pipeline: plant('create cluster'),
        cluster: plant('prod'),
        outcome: 'failed',
        counts: { changed: 3, failed: 1 },
        durationMs: 90_000,
        criticalPathMs: 60_000,
        criticalPath: [{ node: 'm/t/x@a', durationMs: 1 }],
        failures: [{ node: place.node, host: place.host, error }],
        lostHosts: [plant('node2')],
        resumable: true,
      },
    ],
  };
  return Object.values(events).flat();
}
