import { describe, expect, test } from 'vitest';
import {
  balancedBy,
  contextWithArtifacts,
  creatable,
  fromPrograms,
  withOwnEtcd,
} from '../../../test/plans/create-cases.ts';
import { roleFinder, rolesFor } from '../../engine/selection.ts';
import { buildGraph } from '../../plan/graph.ts';
import type { PlanContext } from '../../plan/layers.ts';
import { createCluster } from './create.ts';
import { checkTaskName, runTask, taskNames } from './run-task.ts';

describe('every task of create cluster', async () => {
  /** Clusters that together need them all: one has one kind of load balancer. */
  const contexts = await Promise.all(
    [
      withOwnEtcd(creatable({ masters: 3, workers: 2, more: '  system: {timezone: Europe/Berlin}\n' })),
      fromPrograms(
        creatable({ masters: 3, workers: 2 }).replace(
          'kubernetes: {',
          'kubernetes: {audit: {enabled: true, policyFile: /policy.yaml}, encryption: {enabled: true}, ',
        ),
      ),
      balancedBy('internalLoadbalancer: nginx'),
      balancedBy('externalLoadBalancer: kubexm-kh, lb_address: 10.3.0.100'),
      balancedBy('internalLoadbalancer: kube-vip, lb_address: 10.1.0.100'),
    ].map((text) => contextWithArtifacts(text, { facts: () => ({ commands: ['kubelet'] }) })),
  );
  const tasksIn = (context: PlanContext) => {
    const { nodes } = createCluster.plan(context, { skipPreflight: false });
    return new Set([...nodes.values()].flatMap(({ task }) => (task ? [task.id] : [])));
  };
  const used = contexts.map(tasksIn);

  test('is named, once', () => {
    expect([...new Set(used.flatMap((some) => [...some]))].toSorted()).toEqual(taskNames.toSorted());
    expect(new Set(taskNames).size).toBe(taskNames.length);
  });

  test.each(taskNames)('can run alone: %s', (task) => {
    checkTaskName(task);
    const context = contexts[used.findIndex((some) => some.has(task))]!;
    const graph = buildGraph(runTask.plan(context, { task }));
    const roles = rolesFor(graph, { tags: [], skipTags: [], ...runTask.scope?.({ task }) });
    const steps = graph.nodes.filter(({ body }) => body.type !== 'join');
    // The question is asked before anything is done.
    const asks = !['preflight/greet', 'preflight/check'].includes(task);
    const around = [
      ...(asks ? ['preflight/confirm/confirm'] : []),
      // The token does not outlive the run that made it.
      ...(task === 'kubernetes/join' ? ['cluster/close/join-secrets'] : []),
    ];
    const own = steps.filter(({ id, task: of }) => of?.id === task || around.includes(id));
    const running = steps.filter((node) => roles[graph.nodes.indexOf(node)] === 'run');
    // All of its steps and nobody else's: what they build upon is only checked.
    expect(own.length).toBeGreaterThan(0);
    expect(running.map(({ id }) => id)).toEqual(own.map(({ id }) => id));
  });
});

test.each([
  ['runtime/containerdd', 'runtime/containerd'],
  ['containerd', 'runtime/containerd'],
  ['Node/Names', 'node/names'],
  ['flanel', 'network/flannel'],
])('%s: did you mean %s', (task, meant) => {
  expect(() => checkTaskName(task)).toThrow(
    expect.objectContaining({
      code: 'KX4030',
      params: { task, tasks: expect.stringMatching(new RegExp(`^${meant}, `)) },
    }),
  );
});

test('only the task takes part, on all of its hosts or on some', () => {
  expect(runTask.scope?.({ task: 'node/names' })).toEqual({ tasks: ['node/names'] });
  expect(runTask.scope?.({ task: 'node/names', nodes: ['a'] })).toEqual({ tasks: ['node/names'], targets: ['a'] });
});

test('a token that was made for some nodes is removed, though its host is not one of them', async () => {
  const params = { task: 'kubernetes/join', nodes: ['node1'] };
  const context = await contextWithArtifacts(creatable({ masters: 1, workers: 2 }));
  const graph = buildGraph(runTask.plan(context, params));
  const roleOf = roleFinder(graph, { tags: [], skipTags: [], ...runTask.scope?.(params) });
  const ids = Array.from({ length: graph.size }, (_, i) => i).filter((i) => graph.use(i) && roleOf(i) === 'run');
  expect(ids.map((i) => graph.id(i))).toEqual([
    'preflight/confirm/confirm@local',
    'kubernetes/join/join@node1',
    'cluster/close/join-secrets@cp1',
  ]);
});

test('it asks first, for itself', async () => {
  const params = { task: 'node/names', nodes: ['node1'] };
  const context = await contextWithArtifacts(creatable({ masters: 1, workers: 2 }));
  const graph = buildGraph(runTask.plan(context, params));
  const roles = rolesFor(graph, { tags: [], skipTags: [], ...runTask.scope?.(params) });
  const asked = graph.nodes.findIndex(({ id }) => id === 'preflight/confirm/confirm');
  expect(roles[asked]).toBe('run');
  expect(graph.use(graph.first[asked] ?? 0)?.want).toEqual({
    question: {
      en: 'Run the task node/names of the cluster demo? Hosts: 1',
      zh: '是否运行集群 demo 的任务 node/names？主机数：1',
    },
  });
});
