import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../test/plans/cases.ts';
import { file, hosts, local, many, step } from '../../../test/plans/fixtures.ts';
import { runs } from '../../../test/rig/thorough.ts';
import { barrier, nothing, on, parallel, rolling, sequence } from '../combinators.ts';
import { buildGraph } from '../graph.ts';
import type { ExecutionFragment } from '../node.ts';
import { defineStep } from '../step.ts';
import { renderText } from './text.ts';
import { columns } from './words.ts';

const text = (fragment: ExecutionFragment, options: Partial<Parameters<typeof renderText>[1]> = {}) =>
  renderText(buildGraph(fragment), { width: 100, ...options });

describe('renderText', () => {
  it('has a line a step, not a line a node', () => {
    const all = many('node', 5000);
    const plan = sequence(...Array.from({ length: 100 }, (_, i) => on(all, step(`step-${i}`))));
    const lines = text(plan).split('\n');
    expect(lines.length).toBeLessThan(110);
    expect(lines[0]).toBe('• step-0   node[1:5000]  touch /tmp/step-0');
    expect(lines.at(-3)).toBe('100 steps, 500,000 nodes, 5,000 hosts, 0 barriers');
  });

  it('shows the barriers of a long rolling change together', () => {
    const plan = rolling('up', many('n', 40), { batch: 1 }, (batch) => on(batch, step('x')));
    const lines = text(plan).split('\n');
    expect(lines[0]).toBe('• x            n[1:40]  touch /tmp/x');
    expect(lines[1]).toBe('◇ up-batch-[2:40]  39 barriers, each waits for all of the hosts before it');
  });

  it('shows where wants differ, and how titles do', () => {
    const same = on(hosts('a', 'b'), () => step('same'));
    const wants = on(hosts('a', 'b'), (host) => ({ ...file({ path: '/x', content: host.name }), name: 'wants' }));
    const titles = on(many('n', 5), (host) => step('titles', `/${host.name}`));
    expect(
      text(parallel(same, wants, titles))
        .split('\n')
        .slice(0, 8),
    ).toEqual([
      '• same    a, b    touch /tmp/same',
      '• wants   a, b    file /x',
      '    differs from host to host',
      '• titles  n[1:5]  touch /n1 … and 4 others',
      '    n1: touch /n1',
      '    n2: touch /n2',
      '    n3: touch /n3',
      '    differs from host to host',
    ]);
  });

  it('says how nodes ended and what they change, alike hosts together', () => {
    const plan = on(many('n', 6), step('x'));
    const graph = buildGraph(plan);
    const lines = renderText(graph, {
      width: 100,
      annotations: (i) => {
        if (i < 2) return { outcome: 'would-change', diff: [{ what: 'mode', from: '0644', to: '0600' }] };
        if (i === 2) return { outcome: 'failed', diff: [{ what: '/x', text: '@@ line 1 @@\n-a\n+b' }] };
        return { outcome: 'satisfied' };
      },
    }).split('\n');
    expect(lines.slice(1, 11)).toEqual([
      '    would-change on n[1:2]',
      '    failed on n3',
      '    satisfied on n[4:6]',
      '    on n[1:2]:',
      '    ~ mode: 0644 → 0600',
      '    on n3:',
      '    ~ /x',
      '    @@ line 1 @@',
      '    -a',
      '    +b',
    ]);
  });

  it('names hosts that change alike in the order of the plan', () => {
    const graph = buildGraph(on(hosts('web', 'db', 'cache', 'left'), step('x')));
    const shown = renderText(graph, {
      width: 100,
      annotations: (i) => (i < 3 ? { outcome: 'changed', diff: [{ what: '/x' }] } : { outcome: 'satisfied' }),
    });
    expect(shown.split('\n').slice(1, 5)).toEqual([
      '    changed on web, db, cache',
      '    satisfied on left',
      '    on web, db, cache:',
      '    + /x',
    ]);
  });

  it('names no hosts where all ended alike, and shows only some of very many differences', () => {
    const graph = buildGraph(on(many('n', 9), step('x')));
    const alike = renderText(graph, {
      width: 100,
      annotations: () => ({ outcome: 'changed', diff: [{ what: '/x' }] }),
    });
    expect(alike.split('\n').slice(1, 3)).toEqual(['    changed', '    + /x']);
    const each = renderText(graph, { width: 100, annotations: (i) => ({ diff: [{ what: `/x${i}` }] }) });
    expect(each).toContain('… and other changes on n[6:9]');
    const long = { what: '/x', text: Array.from({ length: 99 }, (_, i) => `+${i}`).join('\n') };
    expect(renderText(graph, { width: 100, annotations: () => ({ diff: [long] }) })).toContain('… 40 more lines');
  });

  it('says what a barrier waits for', () => {
    const plan = sequence(
      on(hosts('w1', 'w2'), step('w')),
      barrier('majority', 'quorum', on(hosts('a', 'b', 'c'), step('x')), nothing()),
      barrier('present', 'present', on(hosts('a', 'b', 'c'), step('y')), nothing()),
    );
    expect(text(plan)).toContain('◇ majority  waits for a majority of a, b, c, once w[1:2] came too');
    expect(text(plan)).toContain('◇ present   waits for those not lost of a, b, c and for majority');
  });

  it('warns of local steps that all hosts wait at', () => {
    const plan = sequence(on(many('n', 3), step('x')), on(local, step('sign')), on(many('n', 3), step('y')));
    expect(text(plan)).toContain('0 barriers; hosts also wait at sign');
  });

  it('says of nothing that there is nothing', () => {
    expect(text(nothing())).toBe('0 steps, 0 nodes, 0 hosts, 0 barriers\nnothing to do\n');
  });

  it('shows no secret, whatever a step makes of its want', () => {
    const careless = { ...file({ path: '/x', content: 'hunter2', secret: true }), name: 'careless' };
    const use = { ...careless, step: { ...careless.step, title: (want: unknown) => `wants ${JSON.stringify(want)}` } };
    expect(text(on(local, use))).not.toContain('hunter2');
  });

  it('falls back on the name of a step whose title cannot be made yet', () => {
    const odd = defineStep<{ readonly files: readonly string[] }>()({
      kind: 'odd',
      description: 'x',
      title: (want) => want.files.map((name) => name.toUpperCase()).join(),
      apply: async () => undefined,
      example: { files: [] },
    });
    const list = on(hosts('a'), { ...step('list'), output: ['x'] });
    const plan = parallel(list, on(hosts('b'), { ...odd({ files: list.ref() }), name: 'late' }));
    expect(text(plan)).toContain('• late  b  late');
  });

  it('keeps within the width, in any script, with or without colour', () => {
    const odd = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
    const plan = fc
      .array(odd, { minLength: 1, maxLength: 5 })
      .map((names) =>
        sequence(
          ...names.map((name, i) => on(many('n', i + 1), { ...step(`${i}${name}`, name) })),
          barrier(names[0]!, 'quorum', on(many('n', 2), step('last')), nothing()),
        ),
      );
    fc.assert(
      fc.property(plan, fc.integer({ min: 40, max: 120 }), (fragment, width) => {
        const graph = buildGraph(fragment);
        const bare = renderText(graph, { width });
        for (const line of bare.split('\n')) expect(columns(line)).toBeLessThanOrEqual(width);
        expect(bare).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
        expect(stripVTControlCharacters(renderText(graph, { width, color: true }))).toBe(bare);
      }),
      { numRuns: runs(200) },
    );
  });

  it('uses colour only when told', () => {
    const graph = buildGraph(cases['replicated-store']!());
    expect(renderText(graph, { width: 100 })).not.toContain('\u001b');
    expect(renderText(graph, { width: 100, color: true })).toContain('\u001b[1mstore\u001b[22m');
  });
});
