import { expect, test } from 'vitest';
import { configFor, planContextFor } from '../../../test/support/plan-context.ts';
import { makeRef } from '../../plan/ref.ts';
import { contentBytes } from '../generic/lib/content.ts';
import { etcdConfig, etcdUnitFile, initialState, rejoin } from './member.ts';
import { clientUrl } from './places.ts';

const members = [
  { name: 'a', address: '10.0.0.1' },
  { name: 'b', address: '2001:db8::2' },
];
const dataDir = '/var/lib/etcd';

const textOf = (use: { readonly want: unknown }): string => {
  const { content } = use.want as { readonly content: Parameters<typeof contentBytes>[0] };
  return Buffer.from(contentBytes(content)).toString();
};

// Refresh with: npm test -- src/step/etcd --update
test('the configuration of a member', async () => {
  const { etcd } = (await planContextFor(configFor())).cluster.spec;
  const state = 'new' as unknown as Parameters<typeof etcdConfig>[0]['state'];
  const member = members[1]!;
  const config = etcdConfig({ member, members, dataDir, etcd, token: 'demo', state });
  await expect(textOf(config)).toMatchFileSnapshot('../golden/etcd.conf.yml');
});

test('the unit of etcd', async () => {
  await expect(textOf(etcdUnitFile({ restrictOomScore: false, maxFiles: 65_536 }))).toMatchFileSnapshot(
    '../golden/etcd.service',
  );
  expect(textOf(etcdUnitFile({ restrictOomScore: true, maxFiles: 65_536 }))).not.toContain('OOMScoreAdjust');
});

test('clients reach a member by its address, of either family', () => {
  expect(members.map(clientUrl)).toEqual(['https://10.0.0.1:2379', 'https://[2001:db8::2]:2379']);
});

test('a cluster of one has nobody to ask and begins', () => {
  const [member] = members;
  const { run } = initialState({ member: member!, members: [member!], dataDir }).want as { readonly run: string };
  expect(run).toContain('elif false member list');
});

test('a member asks the others, never itself', () => {
  const state = makeRef<string>({ name: 'state' }, { from: 'same' }, false);
  const { run } = rejoin({ member: members[0]!, members, dataDir, state }).want as unknown as { readonly run: string };
  expect(run).toContain('--endpoints=https://[2001:db8::2]:2379');
  expect(run).not.toContain('--endpoints=https://10.0.0.1');
});
