import { describe, expect, test } from 'vitest';
import { causes, host, kv, kvLike, local, Rig } from '../../test/rig/engine.ts';
import { sh } from '../model/script.ts';
import { barrier, mapNodes, on, sequence, until } from '../plan/combinators.ts';
import { buildGraph } from '../plan/graph.ts';
import type { Wanted } from '../plan/ref.ts';
import { needed, satisfied } from '../plan/step.ts';
import type { Selection } from './options.ts';
import { extentOf, hostsTakingPart, leavesOutChecks, rolesFor, rolesOnHosts } from './selection.ts';

const a = host('a');
const b = host('b');
const both = [a, b];
const set = (key: string, tags: readonly string[], value: Wanted<string> = '1', at: typeof a | typeof both = a) =>
  on(at, kv({ key, value }), { name: key, tags });
const select = (tags: readonly string[], skipTags: readonly string[] = []) => ({ selection: { tags, skipTags } });

describe('tags', () => {
  const plan = () => sequence(set('one', ['x']), set('two', ['y']), set('three', ['x', 'slow']));

  test('only what is selected takes part; the rest is neither asked about nor mentioned', async () => {
    const rig = new Rig(['a']);
    const result = await rig.run(plan(), select(['x']));
    expect(rig.outcomes()).toEqual({ 'one@a': 'changed', 'three@a': 'changed' });
    expect(result.counts).toEqual({ changed: 2 });
    expect(JSON.stringify(rig.machine('a').sent)).not.toContain('two');
  });

  test('what is to be skipped is skipped, whatever else selects it', async () => {
    const rig = new Rig(['a']);
    await rig.run(plan(), select(['x', 'y'], ['slow']));
    expect(rig.outcomes()).toEqual({ 'one@a': 'changed', 'two@a': 'changed' });
    const other = new Rig(['a']);
    await other.run(plan(), select([], ['x']));
    expect(other.outcomes()).toEqual({ 'two@a': 'changed' });
    const all = new Rig(['a']);
    await all.run(plan(), select([]));
    expect((await all.run(plan(), select([]))).counts).toEqual({ satisfied: 3 });
  });

  test('a failure reaches what follows, also over nodes that are left out and over joins', async () => {
    const rig = new Rig(['a', 'b']);
    const bad = on(both, kvLike({ apply: () => sh`fail 1 no` })({ key: 'one', value: '1' }), {
      name: 'one',
      tags: ['x'],
    });
    const rest = barrier('meet', 'all', set('two', ['y'], '1', both), set('three', ['x'], '1', both));
    const result = await rig.run(sequence(bad, rest), select(['x']));
    expect(rig.outcomes()).toEqual({
      'one@a': 'failed',
      'one@b': 'failed',
      'three@a': 'skipped',
      'three@b': 'skipped',
    });
    expect(result.counts).toEqual({ failed: 2, skipped: 2 });
  });
});

describe('what stands before changes', () => {
  const question = kvLike({ guard: 'question', nature: 'action' });
  const checks = kvLike({ guard: 'checks', nature: 'action' });
  const plan = () =>
    sequence(
      on(local, checks({ key: 'table', value: '1' }), { name: 'table', tags: ['preflight'] }),
      on(local, question({ key: 'sure', value: '1' }), { name: 'sure', tags: ['ask'] }),
      set('one', ['x']),
      barrier('meet', 'all', set('two', ['y']), set('three', ['z'])),
    );
  const roles = (selection: Selection) => {
    const graph = buildGraph(plan());
    const found = rolesFor(graph, selection);
    return graph.nodes.flatMap(({ id, body }, i) => (body.type !== 'join' && found[i] === 'run' ? [id] : []));
  };

  test.each<[string, Selection, readonly string[]]>([
    ['a tag of something right behind it', { tags: ['x'], skipTags: [] }, ['sure', 'one']],
    ['a tag of something far behind it', { tags: ['z'], skipTags: [] }, ['sure', 'three']],
    ['its own tag to be skipped', { tags: [], skipTags: ['ask'] }, ['table', 'sure', 'one', 'two', 'three']],
    ['nothing behind it', { tags: ['preflight'], skipTags: [] }, ['table']],
  ])('a question is asked whenever something behind it runs: %s', (_, selection, run) => {
    expect(roles(selection)).toEqual(run);
  });

  test('a question is asked for a task that runs alone, and without a yes nothing happens', async () => {
    const rig = new Rig(['a']);
    const no = kvLike({ guard: 'question', nature: 'action', apply: () => sh`fail 1 no` });
    const alone = mapNodes(set('one', []), (node) => ({ ...node, task: { id: 'm/one', module: 'm' } }));
    const selection = { tags: [], skipTags: [], tasks: ['m/one'], targets: ['a'] };
    await rig.run(sequence(on(local, no({ key: 'sure', value: '1' }), { name: 'sure' }), alone), { selection });
    expect(rig.outcomes()).toEqual({ 'sure@local': 'failed', 'one@a': 'skipped' });
    expect(rig.host('a').state.values).toEqual({});
  });

  test('what was minted is cleaned up whenever the mint takes part, on whatever host', async () => {
    const mint = kvLike({ nature: 'mint', apply: () => sh`kv add minted 1; echo secret`, result: () => 'secret' });
    const cleanup = kvLike({ guard: 'cleanup', apply: () => sh`kv set clean 1; kv del minted` });
    // The check does not see the secret.
    const join = kvLike({
      judge: (seen) => (seen.code === 0 ? satisfied('') : needed(undefined, [{ what: 'joined' }])),
    });
    const minting = () => {
      const token = on(a, mint({ key: 'token', value: '' }), { name: 'token', tags: ['join'] });
      const joined = on(both, join({ key: 'joined', value: token.refFrom(a) }), { name: 'joined', tags: ['join'] });
      const named = mapNodes(sequence(token, joined), (node) => ({ ...node, task: { id: 'm/join', module: 'm' } }));
      const clean = on(a, cleanup({ key: 'clean', value: '1' }), { name: 'clean', tags: ['end'] });
      return sequence(set('first', ['first']), named, clean);
    };
    const run = async (selection: Selection) => {
      const rig = new Rig(['a', 'b']);
      await rig.run(minting(), { selection });
      return rig.outcomes();
    };
    const none = { tags: [], skipTags: [] };
    expect(await run({ ...none, tasks: ['m/join'], targets: ['b'] })).toEqual({
      'token@a': 'ran',
      'joined@b': 'changed',
      'clean@a': 'changed',
    });
    expect(await run({ tags: ['join'], skipTags: ['end'] })).toMatchObject({ 'clean@a': 'changed' });
    expect(await run({ tags: ['first'], skipTags: [] })).toEqual({ 'first@a': 'changed' });
  });

  test('checks are left out where they are not selected', () => {
    const graph = buildGraph(plan());
    expect(leavesOutChecks(graph, { tags: ['x'], skipTags: [] })).toBe(true);
    expect(leavesOutChecks(graph, { tags: [], skipTags: ['preflight'] })).toBe(true);
    expect(leavesOutChecks(graph, { tags: ['x', 'preflight'], skipTags: [] })).toBe(false);
    expect(leavesOutChecks(graph, { tags: [], skipTags: [] })).toBe(false);
    expect(leavesOutChecks(buildGraph(set('one', ['x'])), { tags: ['y'], skipTags: [] })).toBe(false);
  });
});

describe('producers outside the selection', () => {
  const plan = () => {
    const one = set('one', ['ca'], 'v');
    const two = set('two', ['ca', 'mid'], one.ref());
    return sequence(one, two, set('other', ['other']), set('three', ['x'], two.ref()));
  };

  test('are checked only, and theirs too; their values are used', async () => {
    const rig = new Rig(['a'], { values: { one: 'v', two: 'v' } });
    await rig.run(plan(), select(['x']));
    expect(rig.outcomes()).toEqual({ 'one@a': 'satisfied', 'two@a': 'satisfied', 'three@a': 'changed' });
    expect(rig.host('a').get('three')).toBe('v');
  });

  test('unsatisfied is an error that names the tag to add; nothing is changed', async () => {
    for (const dryRun of [false, true]) {
      const rig = new Rig(['a'], { values: { one: 'v' } });
      const result = await rig.run(plan(), { ...select(['x']), dryRun });
      expect(causes(result)).toEqual(['KX4008 two@a']);
      expect(result.failures[0]!.error.params).toEqual({ node: 'two@a', tags: 'ca, mid' });
      expect(rig.outcomes()).toEqual({ 'one@a': 'satisfied', 'two@a': 'failed', 'three@a': 'skipped' });
      expect(rig.host('a').state.values).toEqual({ one: 'v' });
    }
  });

  test('a gate is looked at for what it guards, and only then', async () => {
    const gate = on(a, kv({ key: 'gate', value: 'up' }), { name: 'gate', tags: ['gate'] });
    const guarded = until(gate, sequence(set('one', ['x']), set('two', ['y'])));
    const graph = buildGraph(guarded);
    const roles = rolesFor(graph, { tags: ['x'], skipTags: [] });
    expect(Object.fromEntries(graph.nodes.map(({ id }, i) => [id, roles[i]]))).toEqual({
      gate: 'check',
      one: 'run',
      two: 'leave',
    });
    const up = new Rig(['a'], { values: { gate: 'up' } });
    await up.run(graph, select(['x']));
    expect(up.outcomes()).toEqual({ 'gate@a': 'satisfied', 'one@a': 'superseded' });
    const down = new Rig(['a']);
    await down.run(graph, select(['x']));
    expect(down.outcomes()).toEqual({ 'gate@a': 'ran', 'one@a': 'changed' });
  });
});

describe('some tasks on some hosts', () => {
  const inTask = (id: string, fragment: ReturnType<typeof set>) =>
    mapNodes(fragment, (node) => ({ ...node, task: { id, module: 'm' } }));
  const only = (tasks: readonly string[], hosts?: readonly string[]) => ({
    selection: { tags: [], skipTags: [], tasks, ...(hosts ? { targets: hosts } : {}) },
  });
  const plan = () => {
    const one = set('one', [], 'v', both);
    const two = set('two', [], one.ref(), both);
    return sequence(inTask('m/one', one), inTask('m/two', two), inTask('m/three', set('three', [], '1', both)));
  };

  test('only the task takes part; what it builds upon is checked', async () => {
    const rig = new Rig(['a', 'b']);
    expect((await rig.run(plan(), only(['m/three']))).counts).toEqual({ changed: 2 });
    const missing = await rig.run(plan(), only(['m/two']));
    expect([...causes(missing)].sort()).toEqual(['KX4032 one@a', 'KX4032 one@b']);
    expect(missing.failures[0]?.error.params).toMatchObject({ task: 'm/one' });
    await rig.run(plan(), only(['m/one']));
    expect((await rig.run(plan(), only(['m/two']))).counts).toEqual({ satisfied: 2, changed: 2 });
  });

  test('only these hosts, and nothing is asked of the others', async () => {
    const rig = new Rig(['a', 'b']);
    await rig.run(plan(), only(['m/one'], ['b']));
    expect(rig.outcomes()).toEqual({ 'one@b': 'changed' });
    const second = new Rig(['a', 'b']);
    await second.run(plan(), only(['m/one'], ['b']));
    await second.run(plan(), only(['m/two'], ['b']));
    expect(second.outcomes()).toMatchObject({ 'one@b': 'satisfied', 'two@b': 'changed' });
    expect(JSON.stringify(second.machine('a').sent)).not.toMatch(/one|two/);
  });

  test('a host on which nothing takes part need not be there; one that is needed must', async () => {
    const rig = new Rig(['a', 'b']);
    rig.machines.delete('a');
    const graph = buildGraph(plan());
    expect(hostsTakingPart(graph, only(['m/one'], ['b']).selection)).toEqual(new Set(['b']));
    expect(await rig.run(graph, only(['m/one'], ['b']))).toMatchObject({ outcome: 'succeeded', lostHosts: [] });
    expect(rig.outcomes()).toEqual({ 'one@b': 'changed' });
    await expect(rig.run(graph, only(['m/one']))).rejects.toThrow('no machine for host a');
  });

  test('the value of another host is checked there, and a gate where it looks', () => {
    const one = set('one', [], 'v');
    const same = set('same', [], 'v', both);
    const gate = set('gate', [], '1', b);
    const two = inTask('m/two', set('two', [], one.ref(), both));
    const three = inTask('m/two', set('three', [], same.ref(), both));
    const graph = buildGraph(sequence(one, same, until(gate, two), three));
    const selection = { tags: [], skipTags: [], tasks: ['m/two'] };
    const roles = rolesOnHosts(graph, rolesFor(graph, selection), ['b']);
    const byId = Object.fromEntries(roles.map((role, i) => [graph.id(i), role]));
    expect(byId).toEqual({
      'one@a': 'check',
      'same@a': 'leave',
      'same@b': 'check',
      'gate@b': 'check',
      'two@a': 'leave',
      'two@b': 'run',
      'three@a': 'leave',
      'three@b': 'run',
    });
    expect(extentOf(graph, { ...selection, targets: ['b'] }).steps).toBe(5);
    expect(extentOf(graph, selection).steps).toBe(8);
    expect(extentOf(graph, selection).seconds).toBeGreaterThan(extentOf(graph, { ...selection, tasks: [] }).seconds);
  });
});
