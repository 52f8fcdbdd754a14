import { describe, expect, test } from 'vitest';
import { contextWithArtifacts, creatable } from '../../../test/plans/create-cases.ts';
import { rolesFor } from '../../engine/selection.ts';
import { buildGraph } from '../../plan/graph.ts';
import { createCluster } from './create.ts';
import { checkTaskName, runTask, taskNames } from './run-task.ts';

describe('every task of create cluster', async () => {
  /** A cluster that needs them all. */
  const context = await contextWithArtifacts(
    creatable({ masters: 3, workers: 2, more: '  system: {timezone: Europe/Berlin}\n' }),
    { facts: () => ({ commands: ['kubelet'] }) },
  );

  test('is named, once', () => {
    const { nodes } = createCluster.plan(context, { skipPreflight: false });
    const used = new Set([...nodes.values()].flatMap(({ task }) => (task ? [task.id] : [])));
    expect([...used].toSorted()).toEqual(taskNames.toSorted());
    expect(new Set(taskNames).size).toBe(taskNames.length);
  });

  test.each(taskNames)('can run alone: %s', (task) => {
    checkTaskName(task);
    const graph = buildGraph(runTask.plan(context, { task }));
    const roles = rolesFor(graph, { tags: [], skipTags: [], ...runTask.selects?.({ task }) });
    const steps = graph.nodes.filter(({ body }) => body.type !== 'join');
    // The question is asked before anything is done.
    const asks = !['preflight/greet', 'preflight/check'].includes(task);
    const own = steps.filter(({ id, task: of }) => of?.id === task || (asks && id === 'preflight/confirm/confirm'));
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
  expect(runTask.selects?.({ task: 'node/names' })).toEqual({ tasks: ['node/names'] });
  expect(runTask.selects?.({ task: 'node/names', nodes: ['a'] })).toEqual({ tasks: ['node/names'], hosts: ['a'] });
});

test('it asks first, for itself', async () => {
  const params = { task: 'node/names', nodes: ['node1'] };
  const context = await contextWithArtifacts(creatable({ masters: 1, workers: 2 }));
  const graph = buildGraph(runTask.plan(context, params));
  const roles = rolesFor(graph, { tags: [], skipTags: [], ...runTask.selects?.(params) });
  const asked = graph.nodes.findIndex(({ id }) => id === 'preflight/confirm/confirm');
  expect(roles[asked]).toBe('run');
  expect(graph.use(graph.first[asked] ?? 0)?.want).toEqual({
    question: {
      en: 'Run the task node/names of the cluster demo? Hosts: 1',
      zh: '是否运行集群 demo 的任务 node/names？主机数：1',
    },
  });
});
