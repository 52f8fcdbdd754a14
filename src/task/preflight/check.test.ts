import { describe, expect, test } from 'vitest';
import { contextWithArtifacts, creatable } from '../../../test/plans/create-cases.ts';
import {
  type ConfigParts,
  configFor,
  type PlanContextOptions,
  planContextFor,
} from '../../../test/support/plan-context.ts';
import { confirmation, preflight } from '../../module/preflight.ts';
import { buildGraph, type ExecutionGraph } from '../../plan/graph.ts';
import { barriers } from '../../plan/render/barriers.ts';
import { renderJson } from '../../plan/render/json.ts';
import { clusterSettings } from '../kubernetes/settings.ts';

async function graphOf(parts: ConfigParts = {}, options: PlanContextOptions = {}): Promise<ExecutionGraph> {
  return buildGraph(preflight.plan(await planContextFor(configFor(parts), options)));
}

const idsOf = (graph: ExecutionGraph) =>
  Object.fromEntries(graph.nodes.map((node) => [node.id.replace('preflight/', ''), node.hosts.names.join(' ')]));

describe('the plan of preflight', () => {
  test('looks at all hosts at once, lets them try each other’s ports, and tells it in one table', async () => {
    const graph = await graphOf({ masters: 3, workers: 2 });
    const all = 'cp1 cp2 cp3 node1 node2';
    expect(idsOf(graph)).toMatchObject({
      'greet/greeting': 'local',
      'check/facts': all,
      'check/look': all,
      'check/disk-latency': 'cp1 cp2 cp3',
      'check/nobody-listens': all,
      'check/listen': all,
      'check/reach': all,
      'check/stop-listening': all,
      'check/findings': 'local',
    });
    expect(barriers(graph).map(({ id }) => id)).toEqual(['preflight/check/listening', 'preflight/check/reached']);
  });

  test('a host alone has nobody to reach', async () => {
    const ids = idsOf(await graphOf({ workers: 0 }));
    expect(Object.keys(ids).toSorted()).toEqual([
      'check/disk-latency',
      'check/facts',
      'check/findings',
      'check/look',
      'greet/greeting',
    ]);
  });

  test('depends on the file alone: what was fixed meanwhile counts when a run is resumed', async () => {
    const bad: PlanContextOptions = { facts: () => ({ timeOffsetMs: 60_000, swapBytes: 1, cpus: 1, mounts: [] }) };
    expect((await graphOf({}, bad)).hash).toBe((await graphOf()).hash);
    expect((await graphOf({ version: 'v1.35.0' })).hash).not.toBe((await graphOf()).hash);
  });

  test.each([
    ['6.1.0-28-amd64', 'nftables', true],
    ['5.10.0-28-amd64', 'iptables', false],
  ])('asks kernel %s for what kube-proxy will use by itself: %s', async (kernel, mode, asks) => {
    const context = await contextWithArtifacts(creatable(), { facts: () => ({ kernel }) });
    const { nodes } = renderJson(buildGraph(preflight.plan(context)));
    const look = JSON.stringify(nodes.find((node) => node.id === 'preflight/check/look'));
    expect(clusterSettings(context).proxy['mode']).toBe(mode);
    expect(look.includes('nf_tables')).toBe(asks);
  });

  test('of 5,000 hosts stays small: what they share is said once', { timeout: 120_000 }, async () => {
    const graph = await graphOf({ masters: 3, workers: 4997 });
    const { nodes } = renderJson(graph);
    const size = (id: string) => JSON.stringify(nodes.find((node) => node.id === `preflight/check/${id}`)).length;
    expect(graph.nodes.length).toBeLessThan(15);
    expect(size('findings')).toBeLessThan(400_000);
  });
});

test('the question comes from the pipeline, and only a person or --yes answers it', async () => {
  const context = await planContextFor(configFor());
  const question = { en: 'Create the cluster demo?', zh: '是否创建集群 demo？' };
  const graph = buildGraph(confirmation.plan(context, { question }));
  expect(graph.nodes.map((node) => node.id)).toEqual(['preflight/confirm/confirm']);
  expect(graph.use(0)).toMatchObject({ want: { question }, step: { kind: 'userInput' } });
});
