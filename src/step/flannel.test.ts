import { expect, test } from 'vitest';
import { flannel } from '../component/flannel.ts';
import type { Cluster } from '../model/cluster/index.ts';
import { type Flannel, flannelManifest } from './flannel.ts';
import type { KubeObjects } from './generic/index.ts';

type Network = Flannel['network'];
const IPV4 = { kubePodsCIDR: { ipv4: '10.9.0.0/16' } };
const SOURCE = { path: '/somewhere/kube-flannel.yml', sha256: 'ab' };
const IMAGES = [
  { upstream: 'ghcr.io/flannel-io/flannel:v0.26.7', reference: 'hub.example:5000/flannel:v0.26.7' },
  { upstream: 'ghcr.io:443/flannel-io/flannel-cni-plugin:v1.6.2', reference: 'hub.example:5000/cni:v1.6.2' },
];

/** The manifest that the step applies for such a network. */
function manifestOf(network: Network) {
  const endpoint = { domain: 'lb.example', port: 7443 };
  const { manifest } = flannelManifest({ source: SOURCE, images: IMAGES, network, endpoint }).want as KubeObjects;
  return manifest!;
}

const patchOf = (network: Network, kind: string) => manifestOf(network).patches.find((patch) => patch.kind === kind);

test('flannel asks the API server itself, and not through kube-proxy', () => {
  const env = JSON.stringify(patchOf(IPV4, 'DaemonSet')).match(/"env":\[.*?\]/g);
  expect(env).toEqual([
    '"env":[{"name":"KUBERNETES_SERVICE_HOST","value":"lb.example"},{"name":"KUBERNETES_SERVICE_PORT","value":"7443"}]',
  ]);
});

test('its images are those of the cluster, whatever tag the manifest has', () => {
  expect(manifestOf(IPV4)).toMatchObject({ source: SOURCE });
  expect(manifestOf(IPV4).images).toEqual({
    'ghcr.io/flannel-io/flannel': 'hub.example:5000/flannel:v0.26.7',
    'ghcr.io:443/flannel-io/flannel-cni-plugin': 'hub.example:5000/cni:v1.6.2',
  });
});

test('what is waited for is what the manifest is changed for', () => {
  const [daemon] = flannel.workloads?.({} as Cluster) ?? [];
  expect(patchOf(IPV4, 'DaemonSet')).toHaveProperty('name', daemon?.name);
});

test('flannel restarts on a tenth of the nodes at a time', () => {
  expect(patchOf(IPV4, 'DaemonSet')).toMatchObject({
    merge: { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: '10%' } } } },
  });
});

const VXLAN = { backend: 'vxlan', directRouting: false, mtu: 0 } as const;
test.each<[string, Network, object]>([
  ['IPv4', { ...IPV4, flannel: VXLAN }, { Network: '10.9.0.0/16', Backend: { Type: 'vxlan' } }],
  ['nothing said of flannel', IPV4, { Network: '10.9.0.0/16', Backend: { Type: 'vxlan' } }],
  [
    'IPv6 alone',
    { kubePodsCIDR: { ipv6: 'fd00::/112' }, flannel: VXLAN },
    { EnableIPv4: false, EnableIPv6: true, IPv6Network: 'fd00::/112', Backend: { Type: 'vxlan' } },
  ],
  [
    'both',
    { kubePodsCIDR: { ipv4: '10.9.0.0/16', ipv6: 'fd00::/112' }, flannel: VXLAN },
    { Network: '10.9.0.0/16', EnableIPv6: true, IPv6Network: 'fd00::/112', Backend: { Type: 'vxlan' } },
  ],
  [
    'without a tunnel inside a subnet',
    { ...IPV4, flannel: { ...VXLAN, directRouting: true, mtu: 1400 } },
    { Network: '10.9.0.0/16', Backend: { Type: 'vxlan', DirectRouting: true, MTU: 1400 } },
  ],
  [
    'another backend',
    { ...IPV4, flannel: { ...VXLAN, backend: 'host-gw' } },
    { Network: '10.9.0.0/16', Backend: { Type: 'host-gw' } },
  ],
])('the network of flannel: %s', (_, network, expected) => {
  const patch = patchOf(network, 'ConfigMap');
  expect(patch?.name).toBe('kube-flannel-cfg');
  const { data } = patch!.merge as { readonly data: Readonly<Record<string, string>> };
  expect(JSON.parse(data['net-conf.json'] ?? '')).toEqual(expected);
});
