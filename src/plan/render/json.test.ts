import { describe, expect, it } from 'vitest';
import { cases } from '../../../test/plans/cases.ts';
import { file, hosts, local, many, step, token, touch } from '../../../test/plans/fixtures.ts';
import { MASK } from '../../model/text/mask.ts';
import { barrier, mapNodes, nothing, on, parallel, sequence, until } from '../combinators.ts';
import { buildGraph } from '../graph.ts';
import type { ExecutionFragment } from '../node.ts';
import { PLAN_VERSION, readPlan } from './document.ts';
import { renderJson } from './json.ts';

const json = (fragment: ExecutionFragment) => renderJson(buildGraph(fragment));
const wanting = (name: string, want: object) => ({ ...touch({ path: '/x' }), name, want: want as never });

describe('renderJson', () => {
  it('has nodes once, whatever their hosts, and host sets by number', () => {
    const all = many('n', 5000);
    const document = json(sequence(on(all, step('x')), on(all, step('y'))));
    expect(document).toMatchObject({
      apiVersion: PLAN_VERSION,
      hostSets: [all.map((host) => host.name)],
      nodes: [
        {
          id: 'x',
          hosts: 0,
          tags: [],
          steps: [
            { hosts: 0, kind: 'touch', title: 'touch /tmp/x', nature: 'state', once: false, want: { path: '/tmp/x' } },
          ],
        },
        { id: 'y', hosts: 0 },
      ],
      links: [{ from: 'x', to: 'y', how: 'host', on: 0 }],
      criticalPath: { seconds: 2 },
    });
    expect(document.criticalPath.nodes).toHaveLength(2);
  });

  it('tells hosts apart only where they differ', () => {
    const plan = on(hosts('a', 'b', 'c'), (host) => step('x', host.name === 'b' ? '/b' : '/other'));
    const document = json(plan);
    expect(document.nodes[0]?.steps?.map((one) => [document.hostSets[one.hosts], one.want])).toEqual([
      [['a', 'c'], { path: '/other' }],
      [['b'], { path: '/b' }],
    ]);
  });

  it('has what joins need and where spreads and gathers meet', () => {
    const made = on(hosts('a', 'b'), step('made'));
    const used = on(hosts('a', 'b'), wanting('used', { all: made.refs(), one: made.refFrom({ name: 'b' }) }));
    const document = json(sequence(on(hosts('w'), step('w')), barrier('up', 'quorum', made, used)));
    const node = (id: string) => document.nodes.find((one) => one.id === id);
    expect(node('up')).toMatchObject({ needs: 'quorum', voters: expect.any(Number) });
    expect(document.hostSets[node('up')!.voters!]).toEqual(['a', 'b']);
    expect(node('made-values')).toMatchObject({ needs: 'all', valuesOf: 'made' });
    expect(document.links).toContainEqual({
      from: 'made',
      to: 'used',
      how: 'spread',
      on: node('made')?.hosts,
      fromHost: 'b',
    });
    expect(document.links).toContainEqual({
      from: 'made',
      to: 'made-values',
      how: 'gather',
      on: node('made')?.hosts,
      toHost: 'local',
    });
  });

  it('writes Refs and gates by id', () => {
    const made = on(local, token({ hours: 1 }));
    const gate = on(hosts('a'), step('gate'));
    const plan = mapNodes(
      parallel(made, until(gate, on(hosts('a'), wanting('used', { token: made.ref() })))),
      (node) => ({
        ...node,
        id: `t/${node.id}`,
      }),
    );
    const used = json(plan).nodes.find((node) => node.id === 't/used');
    expect(used).toMatchObject({ until: 't/gate', steps: [{ want: { token: { $ref: 'secret t/token@local' } } }] });
  });

  it('masks what is marked secret, at any depth, but not where it comes from', () => {
    const made = on(hosts('a'), step('made'));
    const want = {
      files: [
        { path: '/k', secret: true, content: 'hunter2' },
        { path: '/o', secret: true, content: { deep: ['hunter2'] } },
        { path: '/r', secret: true, content: made.ref() },
        { path: '/l', secret: true, content: { $ref: 'hunter2' } },
        { path: '/p', secret: false, content: 'plain' },
      ],
    };
    const document = json(parallel(made, on(hosts('a'), wanting('used', want))));
    expect(document.nodes[1]?.steps?.[0]?.want).toEqual({
      files: [
        { path: '/k', secret: true, content: MASK },
        { path: '/o', secret: true, content: MASK },
        { path: '/r', secret: true, content: { $ref: 'made@a' } },
        { path: '/l', secret: true, content: MASK },
        { path: '/p', secret: false, content: 'plain' },
      ],
    });
    expect(JSON.stringify(document)).not.toContain('hunter2');
    const title = { ...file({ path: '/x', content: 'hunter2', secret: true }), name: 'x' };
    const careless = { ...title, step: { ...title.step, title: (one: { content: string }) => one.content } };
    expect(JSON.stringify(json(on(local, careless as never)))).not.toContain('hunter2');
  });

  it('is the same for the same plan', () => {
    for (const make of Object.values(cases)) expect(JSON.stringify(json(make()))).toBe(JSON.stringify(json(make())));
  });
});

describe('readPlan', () => {
  const document = json(cases['replicated-store']!());
  const saved = () => JSON.parse(JSON.stringify(document)) as Record<string, unknown>;

  it('reads what was saved', () => {
    expect(readPlan(saved())).toEqual(document);
    expect(readPlan(JSON.parse(JSON.stringify(json(nothing()))))).toBeDefined();
  });

  it.each<[string, (plan: Record<string, unknown>) => unknown]>([
    ['nothing', () => undefined],
    ['a list', (plan) => [plan]],
    ['another version', (plan) => ({ ...plan, apiVersion: 'kubexm.io/plan/v2' })],
    ['no hash', (plan) => ({ ...plan, hash: undefined })],
    ['no nodes', (plan) => ({ ...plan, nodes: 'x' })],
    ['a node without steps or needs', (plan) => ({ ...plan, nodes: [{ id: 'x', hosts: 0, tags: [] }] })],
    ['a host set that is not there', (plan) => ({ ...plan, nodes: [{ id: 'x', hosts: 99, tags: [], needs: 'all' }] })],
    ['a host set that is none', (plan) => ({ ...plan, hostSets: [[1]] })],
    ['a link to nowhere', (plan) => ({ ...plan, links: [{ from: 'x' }] })],
    ['no critical path', (plan) => ({ ...plan, criticalPath: null })],
  ])('refuses %s', (_what, damage) => {
    expect(readPlan(damage(saved()))).toBeUndefined();
  });
});
