import type { NodeRef, Outcome, RunEvent } from '../../../src/index.ts';

/** An event and when it happens, in milliseconds after the beginning. */
export type Timed = readonly [after: number, event: RunEvent];

const RUN = '20260131-120000-abcdef';

function ref(task: string, step: string, host: string, title: string): NodeRef {
  return { node: `${task}/${step}@${host}`, host, module: task.split('/')[0] ?? '', task, step, kind: 'file', title };
}

/** A run as the engine would report it: three tasks on some hosts, a download, a retry, a failure that is rolled back. */
export function scriptedRun(hosts: readonly string[], start: number): readonly Timed[] {
  const list: Timed[] = [];
  const add = (after: number, event: object) =>
    list.push([after, { run: RUN, at: start + after, ...event } as RunEvent]);
  const finish = (after: number, where: NodeRef, outcome: Outcome, more: object = {}) =>
    add(after, { type: 'node-finished', ...where, outcome, durationMs: 400, ...more });

  add(0, {
    type: 'run-started',
    pipeline: 'create cluster',
    cluster: 'prod',
    hosts,
    nodes: hosts.length * 5,
    planHash: 'sha256:1',
    dryRun: false,
    resumed: false,
    estimateSeconds: 95,
  });
  hosts.forEach((host, i) => {
    const packages = ref('os/prepare', 'packages', host, 'packages conntrack, socat, ipset');
    const modules = ref('os/prepare', 'modules', host, 'kernel modules br_netfilter, overlay');
    add(100 + i, { type: 'node-started', ...packages, diff: [] });
    finish(600 + i, packages, 'changed');
    finish(650 + i, modules, 'satisfied');
  });
  add(700, { type: 'task-finished', task: 'os/prepare', module: 'os', outcome: 'ok', durationMs: 1234 });
  add(710, { type: 'message', text: '集群证书已生成 · certificates are in .kubexm/prod/certs' });
  hosts.forEach((host, i) => {
    const download = ref('etcd/install', 'binary', host, 'download etcd-v3.6.5-linux-amd64.tar.gz');
    add(800 + i, { type: 'node-started', ...download, diff: [] });
    add(900 + i, { type: 'node-progress', ...download, done: 1_500_000 * ((i % 9) + 1), total: 23_400_000 });
  });
  const last = hosts.at(-1) ?? 'node1';
  const unit = ref('etcd/install', 'unit', last, 'file /etc/systemd/system/etcd.service');
  finish(1200, ref('etcd/install', 'binary', last, 'download'), 'changed');
  const error = {
    code: 'KX4002',
    params: { node: unit.node, reason: 'exit code 1: no space left on device' },
    detail: 'writing /etc/systemd/system/etcd.service\ncp: error writing: no space left on device',
  };
  finish(1300, unit, 'failed', { error });
  add(1310, { type: 'rollback-started', task: 'etcd/install', host: last, nodes: [`etcd/install/binary@${last}`] });
  const image = ref('runtime/pull', 'pause', hosts[0] ?? last, '镜像 registry.k8s.io/pause:3.10');
  add(1350, { type: 'node-started', ...image, diff: [] });
  add(1400, { type: 'node-line', ...image, line: 'Copying blob 3d4c4e3bf3a9 [=====>      ]' });
  add(1450, { type: 'node-retry', ...image, attempt: 2, delaySeconds: 30, reason: 'connection reset' });
  return list;
}

/** How the scripted run ends. */
export function scriptedEnd(hosts: readonly string[], at: number): RunEvent {
  const last = hosts.at(-1) ?? 'node1';
  const params = { node: `etcd/install/unit@${last}`, reason: 'exit code 1: no space left on device' };
  return {
    run: RUN,
    at,
    type: 'run-finished',
    pipeline: 'create cluster',
    cluster: 'prod',
    outcome: 'failed',
    counts: { changed: 5, satisfied: 3, failed: 1, reverted: 1 },
    durationMs: 84_000,
    criticalPathMs: 60_000,
    criticalPath: [
      { node: `os/prepare/packages@${last}`, durationMs: 41_000 },
      { node: `etcd/install/binary@${last}`, durationMs: 17_500 },
      { node: `etcd/install/unit@${last}`, durationMs: 1500 },
    ],
    failures: [
      { node: params.node, host: last, error: { code: 'KX4002', params, detail: 'cp: no space left on device' } },
    ],
    lostHosts: [],
    resumable: true,
  };
}
