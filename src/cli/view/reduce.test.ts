import { expect, test } from 'vitest';
import { cpuTime } from '../../../test/configs/cpu-time.ts';
import type { Outcome, RunEvent } from '../../index.ts';
import { reduce, reduceAll } from './reduce.ts';
import { initialState } from './state.ts';

const base = { at: 1000, run: 'r1' };

function place(host: string, step = 'unit', task = 'etcd/install') {
  return { node: `${task}/${step}@${host}`, host, module: 'etcd', task, step, kind: 'file', title: `file ${step}` };
}

const begun: RunEvent = {
  ...base,
  type: 'run-started',
  pipeline: 'create cluster',
  cluster: 'prod',
  hosts: ['node1', 'node2'],
  nodes: 4,
  planHash: 'h',
  dryRun: false,
  resumed: false,
  estimateSeconds: 90,
};

const started = (host: string, step?: string): RunEvent => ({
  ...base,
  ...place(host, step),
  type: 'node-started',
  diff: [],
});
const finished = (host: string, outcome: Outcome, step?: string): RunEvent => ({
  ...base,
  ...place(host, step),
  type: 'node-finished',
  outcome,
  durationMs: 5,
  ...(outcome === 'failed' ? { error: { code: 'KX4002' as const, params: { node: 'n', reason: 'no' } } } : {}),
});
const lost: RunEvent = {
  ...base,
  type: 'host-lost',
  host: 'node2',
  error: { code: 'KX4011', params: { host: 'node2', reason: 'x' } },
};

const after = (...events: RunEvent[]) => reduceAll(initialState('create cluster', 0), [begun, ...events]);

test('the first event names what is run, the start stays', () => {
  expect(after()).toMatchObject({ cluster: 'prod', run: 'r1', hosts: 2, nodes: 4, estimateSeconds: 90, since: 0 });
});

test('a step runs from its start to its end', () => {
  const running = after(started('node1'));
  expect([...running.running.keys()]).toEqual(['etcd/install/unit@node1']);
  expect(running.tasks.get('etcd/install')).toMatchObject({ running: 1, done: 0, hosts: new Set(['node1']) });
  const ended = reduce(running, finished('node1', 'changed'));
  expect(ended.running.size).toBe(0);
  expect(ended.tasks.get('etcd/install')).toMatchObject({ running: 0, done: 1, changed: 1 });
  expect(ended).toMatchObject({ done: 1, counts: { changed: 1 } });
});

test('a satisfied step was never started', () => {
  expect(after(finished('node1', 'satisfied'))).toMatchObject({ done: 1, counts: { satisfied: 1 } });
});

test('lines, progress and retries belong to the running step', () => {
  const state = after(
    started('node1'),
    { ...base, ...place('node1'), type: 'node-line', line: 'pulling' },
    { ...base, ...place('node1'), type: 'node-progress', done: 5, total: 10 },
    { ...base, ...place('node1'), type: 'node-retry', attempt: 2, delaySeconds: 5, reason: 'busy' },
    { ...base, ...place('node9'), type: 'node-line', line: 'of nobody' },
  );
  expect([...state.running.values()]).toMatchObject([
    { line: 'pulling', progress: { done: 5, total: 10 }, attempt: { number: 2, at: 6000, reason: 'busy' } },
  ]);
});

test('a failure is kept, and what is rolled back is counted once', () => {
  const state = after(
    finished('node1', 'changed', 'dir'),
    finished('node1', 'failed'),
    { ...base, type: 'rollback-started', task: 'etcd/install', host: 'node1', nodes: ['etcd/install/dir@node1'] },
    finished('node1', 'reverted', 'dir'),
  );
  expect(state.failures).toMatchObject([{ node: 'etcd/install/unit@node1', host: 'node1' }]);
  expect(state).toMatchObject({ done: 2, counts: { changed: 0, failed: 1, reverted: 1 } });
  expect(state.tasks.get('etcd/install')).toMatchObject({ failedHosts: 1, rollingBack: ['node1'] });
});

test('a step that failed and could not be undone is dirty, no longer failed', () => {
  expect(after(finished('node1', 'failed'), finished('node1', 'dirty')).counts).toEqual({ failed: 0, dirty: 1 });
});

test('a lost host is one failure, not one for each of its steps', () => {
  const state = after(started('node2'), lost, finished('node2', 'unknown'));
  expect(state).toMatchObject({ lostHosts: 1, counts: { unknown: 1 }, failures: [{ host: 'node2', node: '' }] });
  expect(state.running.size).toBe(0);
});

test('finalizers add their steps', () => {
  const state = after({ ...base, type: 'finalizers-started', nodes: 2 });
  expect(state).toMatchObject({ nodes: 6, finalizing: true });
});

test('an older state never changes', () => {
  const before = after(started('node1'));
  const copy = structuredClone({ ...before, tasks: [...before.tasks], running: [...before.running] });
  reduceAll(before, [started('node2'), finished('node1', 'failed'), lost, finished('node2', 'changed')]);
  expect({ ...before, tasks: [...before.tasks], running: [...before.running] }).toEqual(copy);
});

test('many events at once give the same as one by one', () => {
  const events = [started('node1'), started('node2'), finished('node1', 'changed'), lost, finished('node2', 'unknown')];
  expect(events.reduce(reduce, after())).toEqual(reduceAll(after(), events));
});

test('half a million events take little time', () => {
  const hosts = Array.from({ length: 5000 }, (_, i) => `node${i}`);
  let state = after();
  const spent = cpuTime();
  for (let step = 0; step < 100; step++) {
    state = reduceAll(
      state,
      hosts.map((host) => finished(host, 'satisfied', `s${step}`)),
    );
  }
  expect(state.done).toBe(500_000);
  expect(spent()).toBeLessThan(5000);
});

test('what builds turn out to take, the run takes: its estimate grows and shrinks with theirs', () => {
  const planned = { ...begun, builds: { programs: 10, seconds: 600, cores: 2 }, estimateSeconds: 700 };
  const built = (after: number, leftSeconds: number): RunEvent => ({
    ...base,
    at: base.at + after * 1000,
    type: 'build-progress',
    programs: 10,
    built: 1,
    share: 0.1,
    leftSeconds,
  });
  const state = (...events: RunEvent[]) => reduceAll(initialState('create cluster', base.at), [planned, ...events]);
  expect(state()).toMatchObject({ estimateSeconds: 700, builds: { programs: 10, built: 0, leftSeconds: 600 } });
  expect(state(built(60, 540)).estimateSeconds).toBe(700);
  expect(state(built(60, 540), built(120, 900)).estimateSeconds).toBe(1120);
  expect(state(built(60, 540), built(120, 900), built(130, 0)).estimateSeconds).toBe(230);
  // A build that nobody had planned lies within what the steps say themselves.
  expect(reduceAll(initialState('x', 0), [begun, built(1, 50)])).toMatchObject({
    estimateSeconds: 90,
    builds: { built: 1 },
  });
  expect(reduceAll(initialState('x', 0), [{ ...planned, dryRun: true }]).builds).toBeUndefined();
});
