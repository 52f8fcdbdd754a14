import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { file, hosts, local, many, step, touch } from '../../../test/plans/fixtures.ts';
import { runs } from '../../../test/rig/thorough.ts';
import { barrier, mapNodes, on, parallel, sequence, until } from '../combinators.ts';
import { buildGraph } from '../graph.ts';
import type { ExecutionFragment, JoinNeeds } from '../node.ts';
import { diffPlans, planDiffLines } from './diff-plans.ts';
import { renderJson } from './json.ts';

const json = (fragment: ExecutionFragment) => renderJson(buildGraph(fragment));
const lines = (a: ExecutionFragment, b: ExecutionFragment) => planDiffLines(diffPlans(json(a), json(b)));
const unit = (content: string, secret = false) => ({ ...file({ path: '/u', content, secret }), name: 'unit' });

describe('diffPlans', () => {
  it('finds nothing between equal plans', () => {
    const plan = () => barrier('up', 'quorum', on(many('n', 3), step('x')), on(many('n', 3), step('y')));
    expect(diffPlans(json(plan()), json(plan()))).toEqual({ added: [], removed: [], changed: [], hidden: false });
  });

  it('names nodes that came and went, with their hosts', () => {
    const a = parallel(on(many('n', 5), step('x')), on(many('n', 2), step('old')));
    const b = parallel(on(many('n', 9), step('x')), on(local, step('new')));
    expect(lines(a, b)).toEqual(['- old on n[1:2]', '+ x on n[6:9]', '+ new on local']);
  });

  it('shows what changed inside, once for all hosts that changed alike', () => {
    const plan = (text: string, odd: string) =>
      on(many('n', 4), (host) => unit(host.name === 'n3' ? odd : `a\n${text}\nc`));
    expect(lines(plan('b', 'same'), plan('B', 'same'))).toEqual([
      '~ unit on n[1:2], n4',
      '    ~ want.content',
      '    @@ line 1 @@',
      '     a',
      '    -b',
      '    +B',
      '     c',
    ]);
    expect(lines(plan('b', 'x'), plan('b', 'y'))).toEqual(['~ unit on n3', '    ~ want.content: x → y']);
  });

  it('shows members, lists, gates, tags and kinds', () => {
    const plan = (want: object, tags: readonly string[]) =>
      on(hosts('a'), { ...touch({ path: '/x' }), want: want as never }, { tags });
    expect(
      lines(plan({ a: { b: [1, 2] }, gone: true }, ['t']), plan({ a: { b: [1, 3, 4] }, come: null }, ['t', 'u'])),
    ).toEqual([
      '~ touch on a',
      '    + tags[1]: u',
      '    ~ want.a.b[1]: 2 → 3',
      '    + want.a.b[2]: 4',
      '    - want.gone: true',
      '    + want.come: null',
    ]);
    const gate = on(hosts('a'), step('gate'));
    expect(lines(sequence(gate, on(hosts('a'), step('x'))), until(gate, on(hosts('a'), step('x'))))).toEqual([
      '~ x on a',
      '    + until: gate',
    ]);
    expect(lines(on(hosts('a'), step('unit')), on(hosts('a'), unit('')))).toContain('    ~ kind: touch → file');
  });

  it('shows what waits for what, and what a join needs', () => {
    const [x, y, z] = ['x', 'y', 'z'].map((name) => on(many('n', 3), step(name)));
    expect(lines(parallel(sequence(x!, y!), z!), sequence(x!, z!, y!))).toEqual([
      '~ y on n[1:3]',
      '    - waits for: x host by host on n[1:3]',
      '    + waits for: z host by host on n[1:3]',
      '~ z on n[1:3]',
      '    + waits for: x host by host on n[1:3]',
    ]);
    const up = (needs: JoinNeeds) => barrier('up', needs, x!, y!);
    expect(lines(up('all'), up('quorum'))).toEqual([
      '~ up on local',
      '    ~ needs: all → quorum',
      '    + voters: ["n[1:3]"]',
    ]);
  });

  it('says that a secret changed without showing it', () => {
    const found = lines(on(local, unit('hunter2', true)), on(local, unit('hunter3', true)));
    expect(found).toEqual(['~ secret content, or how kubexm put the plan together']);
  });

  it('cuts long values and shows no control characters', () => {
    const [line] = lines(on(local, unit('x')), on(local, unit(`\u001b${'y'.repeat(500)}`))).slice(1);
    expect(line!.length).toBeLessThan(200);
    expect(line).not.toContain('\u001b');
  });

  it('does not mind the order in which a join counts its hosts', () => {
    const plan = (...names: readonly string[]) =>
      barrier(
        'up',
        'quorum',
        parallel(...names.map((name) => on(hosts(name), step(`on-${name}`)))),
        on(hosts('a'), step('last')),
      );
    expect(lines(plan('b', 'c'), plan('c', 'b'))).toEqual([]);
  });

  it('finds a difference exactly where hashes differ', () => {
    const machines = fc.subarray(['a', 'b', 'c'], { minLength: 1 });
    const plan = fc
      .tuple(
        fc.array(fc.record({ name: fc.constantFrom('x', 'y', 'z'), path: fc.constantFrom('/1', '/2'), on: machines }), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.boolean(),
        fc.constantFrom<JoinNeeds | undefined>(undefined, 'all', 'quorum'),
      )
      .map(([parts, ordered, needs]) => {
        const unique = [...new Map(parts.map((part) => [part.name, part])).values()];
        const steps = unique.map((part) => on(hosts(...part.on), step(part.name, part.path)));
        const inner = ordered ? sequence(...steps) : parallel(...steps);
        return needs ? barrier('up', needs, inner, on(hosts('a'), step('last'))) : inner;
      });
    fc.assert(
      fc.property(plan, plan, (a, b) => {
        const [first, second] = [json(a), json(b)];
        const { added, removed, changed, hidden } = diffPlans(first, second);
        expect(hidden).toBe(false);
        expect(added.length + removed.length + changed.length > 0).toBe(first.hash !== second.hash);
      }),
      { numRuns: runs(500) },
    );
  });

  it('reads the same in a document that was saved', () => {
    const plan = mapNodes(on(hosts('a'), step('x')), (node) => ({ ...node, task: { id: 't', module: 'm' } }));
    const saved = JSON.parse(JSON.stringify(json(plan)));
    expect(diffPlans(saved, json(plan))).toEqual({ added: [], removed: [], changed: [], hidden: false });
  });
});
