import { describe, expect, it } from 'vitest';
import { hosts, local, step } from '../../test/plans/fixtures.ts';
import { LOCAL } from '../model/host.ts';
import { barrier, join, nothing, on, parallel, sequence } from './combinators.ts';
import { buildGraph } from './graph.ts';
import { joinReached } from './join.ts';
import type { ExecutionFragment, JoinNeeds } from './node.ts';

/** Whether the plan's only join is reached when these nodes did not succeed and these hosts are lost. */
function reached(plan: ExecutionFragment, bad: readonly string[], lost: readonly string[] = []): boolean {
  const graph = buildGraph(plan);
  const at = graph.nodes.findIndex((node) => node.body.type === 'join');
  const body = graph.nodes[at]?.body;
  if (body?.type !== 'join') throw new Error('the plan has no join');
  return joinReached(graph, graph.at(at, LOCAL)!, body, {
    succeeded: (i) => !bad.includes(graph.id(i)),
    isLost: (host) => lost.includes(host),
  });
}

const abc = hosts('a', 'b', 'c');
const after = (needs: JoinNeeds) => sequence(on(abc, step('x')), join('wait', needs));

describe('joinReached', () => {
  it.each<[JoinNeeds, readonly string[], readonly string[], boolean]>([
    ['all', [], [], true],
    ['all', ['x@b'], [], false],
    ['all', ['x@b'], ['b'], false],
    ['quorum', ['x@b'], [], true],
    ['quorum', ['x@b', 'x@c'], ['b', 'c'], false],
    ['present', ['x@b'], ['b'], true],
    ['present', ['x@b'], [], false],
    ['present', ['x@a', 'x@b', 'x@c'], ['a', 'b', 'c'], true],
    ['settled', ['x@b'], [], true],
    ['settled', ['x@a', 'x@b', 'x@c'], ['a'], true],
  ])('%s, without %j, lost %j: %s', (needs, bad, lost, expected) => {
    expect(reached(after(needs), bad, lost)).toBe(expected);
  });

  it('needs more than half', () => {
    const plan = sequence(on(hosts('a', 'b'), step('x')), join('wait', 'quorum'));
    expect(reached(plan, ['x@a'])).toBe(false);
  });

  it('counts a host that came twice once, and only if it succeeded twice', () => {
    const plan = sequence(parallel(on(abc, step('x')), on(abc, step('y'))), join('wait', 'quorum'));
    expect(reached(plan, ['x@a', 'y@a'])).toBe(true);
    expect(reached(plan, ['x@a', 'y@b'])).toBe(false);
  });

  it.each<JoinNeeds>(['all', 'quorum', 'present', 'settled'])('always needs the local machine (%s)', (needs) => {
    const plan = sequence(parallel(on(local, step('l')), on(abc, step('x'))), join('wait', needs));
    expect(reached(plan, ['l@local'])).toBe(false);
    expect(reached(sequence(on(local, step('l')), join('wait', needs)), [])).toBe(true);
  });

  it('lets hosts outside the barrier neither pass it nor stop it', () => {
    const plan = sequence(
      on(hosts('w1', 'w2', 'w3', 'w4'), step('w')),
      barrier('wait', 'quorum', on(abc, step('x')), nothing()),
    );
    expect(reached(plan, ['x@a', 'x@b'])).toBe(false);
    expect(reached(plan, ['w@w1', 'w@w2', 'w@w3', 'w@w4'])).toBe(true);
  });
});
