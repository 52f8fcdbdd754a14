import { describe, expect, test } from 'vitest';
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

async function graphOf(parts: ConfigParts = {}, options: PlanContextOptions = {}): Promise<ExecutionGraph> {
  return buildGraph(preflight.plan(await planContextFor(configFor(parts), options)).fragment);
}

const idsOf = (graph: ExecutionGraph) =>
  Object.fromEntries(graph.nodes.map((node) => [node.id.replace('preflight/', ''), node.hosts.names.join(' ')]));

describe('the plan of preflight', () => {
  test('looks at all hosts at once, lets them try each other’s ports, and tells it in one table', async () => {
    const graph = await graphOf({ masters: 3, workers: 2 });
    const all = 'cp1 cp2 cp3 node1 node2';
    expect(idsOf(graph)).toMatchObject({
      'greet/greeting': 'local',
      'check/look': all,
      'check/disk-latency': 'cp1 cp2 cp3',
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
      'check/findings',
      'check/look',
      'greet/greeting',
    ]);
  });

  test('is the same plan whatever time it is and however much is written to the disks', async () => {
    const later: PlanContextOptions = {
      facts: () => ({
        timeOffsetMs: 420,
        mounts: [{ path: '/', type: 'ext4', bytes: 5120000 * 4096, freeBytes: 4000000 * 4096 }],
      }),
    };
    expect((await graphOf({}, later)).hash).toBe((await graphOf()).hash);
    const low: PlanContextOptions = {
      facts: () => ({ mounts: [{ path: '/', type: 'ext4', bytes: 1e11, freeBytes: 1e9 }] }),
    };
    expect((await graphOf({}, low)).hash).not.toBe((await graphOf()).hash);
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
  const graph = buildGraph(confirmation.plan(context, { question: 'Create the cluster demo?' }).fragment);
  expect(graph.nodes.map((node) => node.id)).toEqual(['preflight/confirm/confirm']);
  expect(graph.use(0)).toMatchObject({ want: { question: 'Create the cluster demo?' }, step: { kind: 'userInput' } });
});
