import { describe, expect, test } from 'vitest';
import { edgesOf } from '../../test/plans/fixtures.ts';
import { configFor, type PlanContextOptions, planContextFor } from '../../test/support/plan-context.ts';
import { buildGraph } from '../plan/graph.ts';
import { barriers } from '../plan/render/barriers.ts';
import { renderJson } from '../plan/render/json.ts';
import { nodeFields, nodeModule } from './node.ts';

const EXTRA = '  extra: {resolves: [{address: 192.0.2.53}]}\n  system: {ntpServers: [cp1], timezone: UTC}';

async function planned(config: string, options: PlanContextOptions = {}) {
  return buildGraph(nodeModule.plan(await planContextFor(config, options)));
}

describe('the plan', () => {
  test('has an order on each host, and none between hosts', async () => {
    const graph = await planned(configFor({ workers: 2, more: EXTRA }), { system: 'rocky-9' });
    const hostOf = (id: string) => id.split('@')[1];
    const edges = edgesOf(graph).map((edge) => edge.split(' → ') as [string, string]);
    expect(edges.filter(([from, to]) => hostOf(from) !== hostOf(to))).toEqual([]);
    expect(barriers(graph)).toEqual([]);
    const short = (id: string) => id.replace(/^node\/|@.*$/g, '');
    const onOne = edges.filter(([from]) => hostOf(from) === 'cp1');
    expect(onOne.map(([from, to]) => `${short(from)} → ${short(to)}`).sort()).toEqual([
      'kernel/forwarding → kernel/settings',
      'kernel/modules → kernel/forwarding',
      'names/hostname → packages/expected',
      'names/hostname → packages/packages',
      'names/hosts → names/hostname',
      'names/name-servers → packages/expected',
      'names/name-servers → packages/packages',
      'packages/expected → time/note',
      'packages/expected → timezone/timezone',
      'packages/packages → time/note',
      'packages/packages → timezone/timezone',
      'time/note → time/servers',
      'time/servers → time/service',
    ]);
  });

  test('is for all hosts, whatever they do in the cluster', async () => {
    const more = '  registry: {privateRegistry: hub.example.com}';
    const config = configFor({ workers: 2, more }).replace(/worker: .*/, 'worker: [node1]\n    registry: [node2]');
    const graph = await planned(config);
    const all = ['cp1', 'node1', 'node2'];
    expect(graph.nodes.every((node) => node.hosts.isExactly(all))).toBe(true);
    expect(JSON.stringify(renderJson(graph))).toContain('10.2.0.2 hub.example.com');
  });

  test.each<['enforcing' | 'permissive' | 'disabled' | 'absent', boolean]>([
    ['enforcing', true],
    ['permissive', true],
    ['disabled', false],
    ['absent', false],
  ])('SELinux that is %s is set: %s', async (selinux, wanted) => {
    const graph = await planned(configFor(), { facts: () => ({ selinux }) });
    expect(graph.nodes.some((node) => node.id === 'node/tune/selinux')).toBe(wanted);
  });

  test.each(['ipvs', 'iptables'])('ipvsadm comes with ipvs only: %s', async (mode) => {
    const graph = await planned(configFor().replace('{version:', `{proxyMode: ${mode}, version:`));
    expect(JSON.stringify(renderJson(graph)).includes('"ipvsadm"')).toBe(mode === 'ipvs');
  });
});

/** What a configuration can say, by the field that it says it in. */
const SAID: Readonly<Record<string, (config: string) => string>> = {
  'spec.hosts[].name': (config) => config.replaceAll('node1', 'other'),
  'spec.hosts[].address': (config) => config.replace('10.2.0.1', '10.2.0.9'),
  'spec.hosts[].internalAddress': (config) => config.replace('10.2.0.1', '10.2.0.1, internalAddress: 10.9.0.1'),
  'spec.extra.hosts': (config) => `${config}  extra: {hosts: [{domain: a, address: 192.0.2.1}]}\n`,
  'spec.extra.resolves': (config) => `${config}  extra: {resolves: [{address: 192.0.2.1}]}\n`,
  'spec.system.ntpServers': (config) => `${config}  system: {ntpServers: [ntp.example.com]}\n`,
  'spec.system.timezone': (config) => `${config}  system: {timezone: UTC}\n`,
  'spec.system.rpms': (config) => `${config}  system: {rpms: [jq]}\n`,
  'spec.system.debs': (config) => `${config}  system: {debs: [jq]}\n`,
};

describe('what it acts on', () => {
  test.each(nodeFields)('%s changes the plan', async (field) => {
    const options = { system: field.endsWith('rpms') ? 'rocky-9' : 'debian-12' } as const;
    const hash = async (config: string) => renderJson(await planned(config, options)).hash;
    const say = SAID[field] ?? ((config) => config);
    expect(await hash(say(configFor()))).not.toBe(await hash(configFor()));
  });
});
