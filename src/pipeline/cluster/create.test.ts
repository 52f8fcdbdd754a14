import { describe, expect, test } from 'vitest';
import { creatable, creation } from '../../../test/plans/create-cases.ts';
import { edgesOf } from '../../../test/plans/fixtures.ts';
import { LOCAL } from '../../model/host.ts';
import { buildGraph, type ExecutionGraph } from '../../plan/graph.ts';
import { barriers, hiddenBarriers } from '../../plan/render/barriers.ts';

/** Where hosts wait for each other: for each other's listeners, for each other's answers, and at the very end. */
const BARRIERS = ['preflight/check/listening', 'preflight/check/reached', 'cluster/joined'];

function places(graph: ExecutionGraph): readonly string[] {
  return barriers(graph).map(({ id }) => id);
}

describe('the barriers of create cluster', () => {
  test.each([
    ['one machine', { masters: 1, workers: 0 }, 1],
    ['3 + 2', { masters: 3, workers: 2 }, 5],
    ['100 nodes', { masters: 3, workers: 97 }, 100],
    ['5,000 nodes', { masters: 5, workers: 4995 }, 5000],
  ])('%s: three, and all before a change or after the last join', { timeout: 60_000 }, async (_, parts, hosts) => {
    const text = creatable(parts).replace('worker: []', 'worker: [cp1]');
    const graph = buildGraph(await creation(text));
    expect(places(graph)).toEqual(hosts === 1 ? BARRIERS.slice(2) : BARRIERS);
    const [end] = barriers(graph).slice(-1);
    expect(end).toMatchObject({ needs: 'present' });
    // The question is asked once, of a person: everybody waits for the answer, and for downloads, and for nothing else.
    const gates = hiddenBarriers(graph).filter((id) => !id.startsWith('artifacts/get/'));
    expect(gates).toEqual(hosts === 1 ? [] : ['preflight/confirm/confirm']);
  });
});

/** The hosts that somebody's step waits for, directly or not, from the question on. */
function waitsFor(graph: ExecutionGraph, id: string): readonly string[] {
  const before = Map.groupBy(
    edgesOf(graph).map((edge) => edge.split(' → ') as [string, string]),
    ([, to]) => to,
  );
  const seen = new Set<string>();
  const visit = (one: string): void => {
    if (seen.has(one) || one.startsWith('preflight/')) return;
    seen.add(one);
    for (const [from] of before.get(one) ?? []) visit(from);
  };
  visit(id);
  const hosts = [...seen].map((one) => one.split('@')[1] ?? '');
  return [...new Set(hosts)].filter((host) => host !== LOCAL).sort();
}

describe('who waits for whom', () => {
  test.each([
    ['kubernetes/init/init@cp1', ['cp1']],
    ['kubernetes/join/join@node1', ['cp1', 'node1']],
    ['kubernetes/join/join@node2', ['cp1', 'node2']],
    ['kubernetes/join/join-cp2@cp2', ['cp1', 'cp2']],
    ['kubernetes/join/join-cp3@cp3', ['cp1', 'cp2', 'cp3']],
    ['cluster/health/nodes-ready@node2', ['cp1', 'node2']],
    ['network/flannel/manifest@cp1', ['cp1']],
    ['cluster/kubeconfig/kubeconfig@cp1', ['cp1']],
    ['cluster/finish/labels@cp1', ['cp1', 'cp2', 'cp3', 'node1', 'node2']],
  ])('%s for %j', async (id, hosts) => {
    expect(waitsFor(buildGraph(await creation(creatable({ masters: 3, workers: 2 }))), id)).toEqual(hosts);
  });
});

describe('the size of the plan', () => {
  test.each([
    [{ masters: 3, workers: 97 }],
    [{ masters: 5, workers: 4995 }],
  ])('%j: as many steps as for five hosts, so many nodes per host, edges in proportion', { timeout: 60_000 }, async (parts) => {
    const small = buildGraph(await creation(creatable({ masters: 3, workers: 2 })));
    const graph = buildGraph(await creation(creatable(parts)));
    const hosts = parts.masters + parts.workers;
    // One step more for each further master: they join in turn.
    expect(graph.nodes.length).toBe(small.nodes.length + parts.masters - 3);
    const perWorker = graph.nodes.filter((node) => node.hosts.has('node1')).length;
    expect(graph.size).toBeLessThan((hosts + 1) * (perWorker + 15));
    expect(graph.edges.next.length).toBeLessThan(graph.size * 3);
  });
});
