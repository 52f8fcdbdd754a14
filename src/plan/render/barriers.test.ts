import { describe, expect, it } from 'vitest';
import { hosts, local, many, step, touch } from '../../../test/plans/fixtures.ts';
import { barrier, join, nothing, on, parallel, sequence } from '../combinators.ts';
import { buildGraph } from '../graph.ts';
import type { ExecutionFragment } from '../node.ts';
import { barriers, hiddenBarriers } from './barriers.ts';

describe('barriers', () => {
  it('are the joins of a plan, with what they wait for', () => {
    const made = on(hosts('a', 'b'), step('made'));
    const plan = sequence(
      on(local, step('fetch')),
      on(hosts('w'), step('w')),
      barrier('up', 'quorum', made, on(hosts('a', 'b'), { ...touch({ path: '/x' }), name: 'used', want: made.refs() })),
    );
    expect(barriers(buildGraph(plan))).toEqual([
      {
        id: 'up',
        needs: 'quorum',
        waitsFor: ['w', 'a', 'b'],
        voters: ['a', 'b'],
        localBefore: ['fetch'],
        valuesOf: undefined,
      },
      { id: 'made-values', needs: 'all', waitsFor: ['a', 'b'], voters: undefined, localBefore: [], valuesOf: 'made' },
    ]);
  });

  it('are none where hosts go on by themselves', () => {
    const plan = sequence(on(many('h', 9), step('x')), on(many('h', 9), step('y')));
    expect(barriers(buildGraph(plan))).toEqual([]);
    expect(barriers(buildGraph(nothing()))).toEqual([]);
  });
});

describe('hidden barriers', () => {
  const x = on(many('h', 3), step('x'));
  const y = on(many('h', 3), step('y'));
  const hidden = (...parts: readonly ExecutionFragment[]) => hiddenBarriers(buildGraph(sequence(...parts)));

  it('are local steps that hosts wait at', () => {
    expect(hidden(x, on(local, step('l')), y)).toEqual(['l']);
    expect(hidden(x, on(local, step('l')), on(local, step('m')), y)).toEqual(['m']);
  });

  it('are not local steps before, after, or beside all hosts', () => {
    expect(hidden(on(local, step('l')), x)).toEqual([]);
    expect(hidden(x, on(local, step('l')))).toEqual([]);
    expect(hidden(parallel(x, on(local, step('l'))), y)).toEqual([]);
    expect(hidden(on(hosts('h1'), step('one')), on(local, step('l')), y)).toEqual([]);
  });

  it('are not what was written down as one', () => {
    expect(hidden(x, join('wait'), on(local, step('l')), y)).toEqual([]);
  });
});
