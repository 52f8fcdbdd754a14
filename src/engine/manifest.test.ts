import { describe, expect, test } from 'vitest';
import { causes, host, kvLike, local, Rig, task } from '../../test/rig/engine.ts';
import type { MemoryHostOptions } from '../../test/rig/memory/memory.ts';
import { output } from '../model/host.ts';
import type { ManifestChange } from '../model/manifest.ts';
import { sh } from '../model/script.ts';
import { join, marked, on, sequence } from '../plan/combinators.ts';
import { defineStep, needed, satisfied } from '../plan/step.ts';
import { effectWords, type ManifestOptions } from './manifest.ts';

type Commands = NonNullable<MemoryHostOptions['commands']>;

/** What the library does on a host, as far as the engine can tell: entries by key. */
function manifestCommands(entries: Map<string, ManifestChange>): Commands {
  return {
    kx_stage: ([key = '', ...paths], { state }) => {
      state.saved[key] ??= Object.fromEntries(paths.map((path) => [path, state.values[path] ?? null]));
      return output(0);
    },
    kx_own: ([key = '', , , meta = '']) => {
      entries.set(key, JSON.parse(meta) as ManifestChange);
      return output(0);
    },
    kx_owning: ([, script = ''], memory) => memory.execute(script),
    kx_own_begin: () => output(0),
    kx_own_end: () => output(0),
    kx_disown: ([key = '']) => {
      entries.delete(key);
      return output(0);
    },
  };
}

function setUp(more: Commands = {}) {
  const entries = new Map<string, ManifestChange>();
  const touched: string[] = [];
  const manifest: ManifestOptions = {
    uid: 'u1',
    cluster: 'prod',
    mask: (value) => JSON.parse(JSON.stringify(value).replaceAll('s3cret', '***')),
    touches: async (name) => void touched.push(name),
  };
  const rig = new Rig(['a'], { commands: { ...manifestCommands(entries), ...more } });
  return { rig, entries, touched, manifest, changes: () => [...entries.values()] };
}

const kv = kvLike({});
const reverting = kvLike({
  kind: 'reverting',
  saves: () => [],
  revert: (_host, want, before) => (before === undefined ? sh`kv del ${want.key}` : sh`kv set ${want.key} ${before}`),
});
const chain = (at: { readonly name: string }, count: number) =>
  sequence(...Array.from({ length: count }, (_, i) => on(at, { ...kv({ key: `k${i}`, value: '1' }), name: `n${i}` })));

const kvSeen = (code: number) => (code === 0 ? satisfied('set') : needed(undefined, [{ what: 'k' }]));

describe('a run whose changes are owned', () => {
  test('costs not one round trip more, whether scripts or work of steps', async () => {
    const working = kvLike({ apply: async (at, want) => void (await at.run(sh`kv set ${want.key} ${want.value}`)) });
    for (const use of [kv, working]) {
      const plan = () =>
        sequence(
          ...Array.from({ length: 20 }, (_, i) =>
            on(host('a'), { ...use({ key: `k${i}`, value: '1' }), name: `n${i}` }),
          ),
        );
      const plain = setUp();
      await plain.rig.run(plan());
      const owned = setUp();
      await owned.rig.run(plan(), { manifest: owned.manifest });
      expect(owned.changes()).toHaveLength(20);
      expect(owned.rig.machine('a').trips).toBe(plain.rig.machine('a').trips);
      const none = owned.rig.machine('a').trips;
      await owned.rig.run(plan(), { manifest: owned.manifest });
      expect(owned.rig.machine('a').trips - none).toBe(1);
    }
  });

  test('the entry is made before the change, and what is left is noted behind it', async () => {
    const { rig, manifest, touched } = setUp();
    await rig.run(on(host('a'), kv({ key: 'k', value: '1' })), { manifest });
    const script = rig.machine('a').sent.find(({ by }) => by === 'run')?.script ?? '';
    expect(script).toMatch(/^kx_stage \S+ k .*\nkx_own \S+ u1 prod .*\nkx_owning \S+ 'kv set k 1'$/);
    expect(touched).toEqual(['a']);
  });

  test('a mark is in the journal from the intent on, in the events and in the entry', async () => {
    const { rig, manifest, changes } = setUp();
    const plan = () => marked('node-joined', sequence(chain(host('a'), 1), join('all-here')));
    await rig.run(plan(), { manifest });
    expect(changes()).toMatchObject([{ node: 'n0', mark: 'node-joined' }]);
    const [intent] = rig.journal.records;
    expect(intent).toMatchObject({ node: 'n0@a', phase: 'intent', mark: 'node-joined' });
    expect(rig.of('node-finished')).toMatchObject([{ node: 'n0@a', outcome: 'changed', mark: 'node-joined' }]);
    expect(rig.journal.replay().marks).toEqual(new Map([['n0@a', 'node-joined']]));
    rig.journal.records.length = 0;
    await rig.run(plan(), { manifest });
    expect(rig.journal.records[0]).toMatchObject({ node: 'n0@a', phase: 'satisfied', mark: 'node-joined' });
  });

  test('nothing is written for the local machine, for actions, or by a run that does not own', async () => {
    const { rig, manifest, changes, touched } = setUp();
    const action = defineStep<object>()({
      kind: 'action',
      description: 'an action',
      title: () => 'action',
      nature: 'action',
      apply: () => sh`kv set acted 1`,
      example: {},
    });
    await rig.run(sequence(chain(local, 1), on(host('a'), action({}))), { manifest });
    await rig.run(on(host('a'), kv({ key: 'k', value: '1' })));
    expect(changes()).toEqual([]);
    expect(touched).toEqual([]);
  });

  test('a step that reverts by itself leaves what it wanted and what it found, without secrets', async () => {
    const { rig, manifest, changes } = setUp();
    rig.host('a').set('k', 'old');
    await rig.run(on(host('a'), { ...reverting({ key: 'k', value: 's3cret' }), name: 'set' }), { manifest });
    expect(changes()).toMatchObject([
      { node: 'set', kind: 'reverting', names: ['reverting:kv k'], want: { key: 'k', value: '***' }, before: 'old' },
    ]);
    expect(JSON.stringify(rig.machine('a').sent.filter(({ script }) => script.includes('"want"')))).not.toMatch(
      /s3cret.*kx_owning/,
    );
  });

  test('a minted secret that a step was given is masked', async () => {
    const { rig, manifest, entries } = setUp();
    const mint = defineStep<object>()({
      kind: 'mint',
      description: 'a token',
      title: () => 'token',
      nature: 'mint',
      apply: () => sh`printf %s minted-value`,
      result: (seen) => seen.stdout,
      example: {},
    });
    // What is set is not what the check can compare: it only sees a mask.
    const joins = kvLike({ ...reverting.definition, kind: 'joins', judge: (seen) => kvSeen(seen.code) });
    const token = on(host('a'), { ...mint({}), name: 'token' });
    await rig.run(sequence(token, on(host('a'), joins({ key: 'k', value: token.ref() }))), { manifest });
    expect(rig.host('a').get('k')).toBe('minted-value');
    expect(entries.size).toBe(1);
    expect(JSON.stringify([...entries.values()])).not.toContain('minted-value');
  });

  test('names and effects are the step’s own where it has some; files need no want', async () => {
    const { rig, manifest, changes } = setUp();
    const named = kvLike({
      owns: (want) => [`key:${want.key}`],
      effects: (want) => [{ type: 'path', path: `/made/by/${want.key}` }],
      irreversible: 'it is final',
    });
    await rig.run(on(host('a'), named({ key: 'k', value: '1' })), { manifest });
    const [change] = changes();
    expect(change).toMatchObject({
      names: ['key:k'],
      effects: [{ type: 'path', path: '/made/by/k' }],
      irreversible: 'it is final',
    });
    expect(change).not.toHaveProperty('want');
  });

  test('what is rolled back is owned no longer', async () => {
    const { rig, manifest, changes } = setUp();
    const plan = sequence(
      task('m/kept', on(host('a'), kv({ key: 'x', value: '1' }))),
      task(
        'm/failing',
        sequence(
          on(host('a'), { ...kv({ key: 'k', value: '1' }), name: 'one' }),
          on(host('a'), { ...reverting({ key: 'l', value: '1' }), name: 'two' }),
          on(host('a'), { ...kv({ key: 'm', value: '1', also: 'fail 3 no' }), name: 'three' }),
        ),
      ),
    );
    const result = await rig.run(plan, { manifest });
    expect(causes(result)).toEqual(['KX4002 m/failing/three@a']);
    expect(changes().map(({ node }) => node)).toEqual(['m/kept/kv']);
    expect(rig.host('a').state.values).toEqual({ x: '1' });
  });

  test('a machine on which no entry can be made is not touched', async () => {
    const { rig, manifest } = setUp({ kx_own: () => output(1, '', 'this machine belongs to cluster test (u2)\n') });
    const result = await rig.run(on(host('a'), kv({ key: 'k', value: '1' })), { manifest });
    expect(result.failures[0]?.error).toMatchObject({ code: 'KX4002' });
    expect(result.failures[0]?.error.detail).toContain('belongs to cluster test');
    expect(rig.host('a').get('k')).toBeUndefined();
  });
});

test('an effect is its type and its values, in one order however it is written', () => {
  expect(effectWords({ prefix: 'veth', bridge: 'cni0', type: 'ports' })).toBe('ports cni0 veth');
  expect(effectWords({ type: 'nft-tables', family: 'inet', prefix: 'kube' })).toBe('nft-tables inet kube');
  expect(effectWords({ type: 'shared-table', family: 'ip', name: 'nat' })).toBe('shared-table ip nat');
  expect(effectWords({ type: 'ports', bridge: 'cni0', prefix: 'veth' })).toBe('ports cni0 veth');
  expect(effectWords({ type: 'virtual-servers', link: 'kube-ipvs0' })).toBe('virtual-servers kube-ipvs0');
  expect(effectWords({ type: 'mounts', below: '/var/lib/kubelet' })).toBe('mounts /var/lib/kubelet');
  expect(effectWords({ type: 'sysctl', key: 'net/ipv4/ip_forward' })).toBe('sysctl net/ipv4/ip_forward');
  expect(effectWords({ type: 'routes', within: '10.1.0.0/16' })).toBe('routes 10.1.0.0/16');
  expect(effectWords({ type: 'user', name: 'etcd' })).toBe('user etcd');
});

test('an effect without a name would match everything', () => {
  expect(() => effectWords({ type: 'links', prefix: '' })).toThrow(TypeError);
  expect(() => effectWords({ type: 'path', path: '/a\n/etc' })).toThrow(TypeError);
});
