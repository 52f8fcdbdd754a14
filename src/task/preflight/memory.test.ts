import { expect, test } from 'vitest';
import { causes, Rig } from '../../../test/rig/engine.ts';
import { configFor, planContextFor, recordedFacts } from '../../../test/support/plan-context.ts';
import { catalogue, errorRemedy, errorTitle, type Lang } from '../../model/errors/index.ts';
import type { Facts } from '../../model/facts.ts';
import { confirmation } from '../../module/preflight.ts';
import { on, sequence } from '../../plan/combinators.ts';
import { expectedHosts, expectedOf } from '../../step/preflight/expected.ts';
import { judgeHost, tellFindings } from '../../step/preflight.ts';

/** What no machine of a lab can be made to be: a host in memory can. */
const IMPOSSIBLE: Partial<Facts> = {
  root: false,
  init: 'openrc',
  arch: 'riscv64',
  cpus: 1,
  kernel: '2.6.32',
  cgroup: 0,
  selinux: 'enforcing',
  timeOffsetMs: 3_600_000,
  mounts: [{ path: '/', type: 'ext4', bytes: 20e9, freeBytes: 1e9 }],
};

async function run(facts: Partial<Facts>, lang: Lang) {
  const { cluster, hosts, local } = await planContextFor(configFor());
  const names = hosts.map(({ name }) => name);
  const rig = new Rig(names, { facts: { ...recordedFacts('debian-12', { swapBytes: 0 }), ...facts } });
  const expected = expectedOf(cluster);
  const judged = on(hosts, (host) => judgeHost(expected(host.roles)));
  const told = on(local, tellFindings({ hosts: expectedHosts(cluster, hosts), judged: judged.refs(), looked: {} }));
  const result = await rig.run(sequence(judged, told), { lang });
  const text = rig.of('message').map((event) => event.text);
  return { result, table: text.join('\n').replace(/\s+/g, '') };
}

const flat = (text: string) => text.replace(/\s+/g, '');

test.each<Lang>(['en', 'zh'])('what only a host in memory can be, told in %s', async (lang) => {
  const { result, table } = await run(IMPOSSIBLE, lang);
  expect(causes(result)).toEqual(['KX4500 findings@local']);
  const told = [
    ['KX4501', {}],
    ['KX4504', {}],
    ['KX4505', { arch: 'riscv64', supported: 'amd64, arm64' }],
    ['KX4507', { cpus: 1, minimum: 2 }],
    ['KX4509', { kernel: '2.6.32', purpose: 'Kubernetes', minimum: '3.10' }],
    ['KX4514', {}],
    ['KX4518', {}],
    ['KX4528', { limit: 5 }],
    ['KX4545', { path: '/var/lib/kubelet', minimum: 10 }],
    ['KX4546', { path: '/var/lib/containerd', minimum: 3, images: 3, etcd: 2 }],
    ['KX4546', { path: '/var/lib/containerd, /var/lib/etcd', minimum: 5, images: 3, etcd: 2 }],
  ] as const;
  for (const [code, params] of told) {
    expect(table).toContain(flat(`${code} ${errorTitle(code, params, lang)}`));
    expect(table).toContain(flat(errorRemedy(code, params, lang)));
  }
  expect(table).toContain('(+3600s)');
});

test('a declined question ends the run with 130, before anything else', async () => {
  const context = await planContextFor(configFor());
  const asked: string[] = [];
  const question = { en: 'Create the cluster demo?', zh: '是否创建集群 demo？' };
  const plan = confirmation.plan(context, { question }).fragment;
  const answer = (text: string) => async (question: { readonly text: string }) => {
    asked.push(question.text);
    return text;
  };
  const declined = await new Rig([]).run(plan, { ask: answer('no') });
  expect(causes(declined)).toEqual(['KX4013 preflight/confirm/confirm@local']);
  expect(catalogue.KX4013.exit).toBe(130);
  expect((await new Rig([]).run(plan, { ask: answer('yes'), lang: 'zh' })).outcome).toBe('succeeded');
  expect(asked).toEqual([question.en, question.zh]);
});
