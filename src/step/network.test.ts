import { expect, test } from 'vitest';
import { networkParts } from '../model/network-plugin.ts';
import { type FlannelSettings, flannelPatches } from './network.ts';

const plain: FlannelSettings = {
  podNetworks: { ipv4: '10.9.0.0/16' },
  backend: 'vxlan',
  directRouting: false,
  mtu: 0,
  endpoint: { host: 'lb.example', port: 7443 },
};

test('flannel asks the API server itself, and not through kube-proxy', () => {
  const env = flannelPatches(plain).flatMap(({ merge }) => JSON.stringify(merge).match(/"env":\[.*?\]/) ?? []);
  expect(env).toEqual([
    '"env":[{"name":"KUBERNETES_SERVICE_HOST","value":"lb.example"},{"name":"KUBERNETES_SERVICE_PORT","value":"7443"}]',
  ]);
});

test('what is waited for is what the manifest is changed for', () => {
  const { daemon } = networkParts({ plugin: 'flannel' });
  expect(flannelPatches(plain)).toContainEqual(expect.objectContaining({ kind: 'DaemonSet', name: daemon.name }));
});

test('flannel starts anew on a tenth of the nodes at a time', () => {
  const daemon = flannelPatches(plain).find(({ kind }) => kind === 'DaemonSet');
  expect(daemon?.merge).toMatchObject({ spec: { updateStrategy: { rollingUpdate: { maxUnavailable: '10%' } } } });
});

test.each<[string, FlannelSettings, object]>([
  ['IPv4', plain, { Network: '10.9.0.0/16', Backend: { Type: 'vxlan' } }],
  [
    'IPv6 alone',
    { ...plain, podNetworks: { ipv6: 'fd00::/112' } },
    { EnableIPv4: false, EnableIPv6: true, IPv6Network: 'fd00::/112', Backend: { Type: 'vxlan' } },
  ],
  [
    'both',
    { ...plain, podNetworks: { ipv4: '10.9.0.0/16', ipv6: 'fd00::/112' } },
    { Network: '10.9.0.0/16', EnableIPv6: true, IPv6Network: 'fd00::/112', Backend: { Type: 'vxlan' } },
  ],
  [
    'without a tunnel inside a subnet',
    { ...plain, directRouting: true, mtu: 1400 },
    { Network: '10.9.0.0/16', Backend: { Type: 'vxlan', DirectRouting: true, MTU: 1400 } },
  ],
  ['another backend', { ...plain, backend: 'host-gw' }, { Network: '10.9.0.0/16', Backend: { Type: 'host-gw' } }],
])('the network of flannel: %s', (_, settings, expected) => {
  const patch = flannelPatches(settings).find(({ kind }) => kind === 'ConfigMap');
  expect(patch?.name).toBe('kube-flannel-cfg');
  const { data } = patch!.merge as { readonly data: Readonly<Record<string, string>> };
  expect(JSON.parse(data['net-conf.json'] ?? '')).toEqual(expected);
});
