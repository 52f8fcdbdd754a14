import { expect, test } from 'vitest';
import { configFor, planContextFor } from '../../test/support/plan-context.ts';
import { networkParts, networkPorts } from './network-plugin.ts';

const networkOf = async (text: string) => {
  const config = configFor({}).replace('  network: {plugin: flannel}', `  network: {${text}}`);
  return (await planContextFor(config)).cluster.spec.network;
};

test.each([
  ['plugin: flannel', 'UDP 8472'],
  ['plugin: flannel, flannel: {backend: host-gw}', '-'],
  ['plugin: flannel, flannel: {backend: udp}', 'UDP 8285'],
  ['plugin: flannel, flannel: {backend: wireguard}', 'UDP 51820'],
  ['plugin: calico', 'TCP 179'],
  ['plugin: calico, calico: {ipipMode: Never, vxlanMode: Always}', 'TCP 179, UDP 4789'],
  ['plugin: cilium', 'UDP 8472, TCP 4240'],
])('%s: nodes reach each other at %s', async (network, ports) => {
  expect(networkPorts(await networkOf(network))).toBe(ports);
});

test('a plugin of which nothing is known is no plugin without parts', async () => {
  const network = await networkOf('plugin: flannel, kubePodsCIDR: 10.66.0.0/16');
  const { daemon, effects } = networkParts(network);
  expect(daemon).toMatchObject({ namespace: 'kube-flannel', name: 'kube-flannel-ds' });
  expect(effects(network)).toContainEqual({ type: 'links', prefix: 'flannel' });
  expect(effects(network)).toContainEqual({ type: 'routes', within: '10.66.0.0/16' });
  for (const plugin of ['calico', 'cilium'] as const) expect(() => networkParts({ plugin })).toThrow(plugin);
});
