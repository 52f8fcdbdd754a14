import type { JsonObject } from '../model/json.ts';
import type { ObjectPatch } from './generic/index.ts';

/** How flannel carries packets between nodes. */
export interface FlannelSettings {
  readonly podNetworks: { readonly ipv4?: string; readonly ipv6?: string };
  readonly backend: 'vxlan' | 'host-gw' | 'wireguard' | 'udp';
  readonly directRouting: boolean;
  /** 0: flannel finds it out. */
  readonly mtu: number;
  /** Where every node finds the API server. */
  readonly endpoint: { readonly host: string; readonly port: number };
}

const CNI_DIRECTORY = '/etc/cni/net.d';
const WRITE_CNI = `until [ -s /run/flannel/subnet.env ]; do busybox sleep 0.2; done
cp -f /etc/kube-flannel/cni-conf.json ${CNI_DIRECTORY}/10-flannel.conflist`;

/**
 * A node calls itself ready as soon as there is a CNI configuration. The manifest writes it before flannel has a network for the
 * node: the first pods there fail, and are tried again only ten seconds later. Here flannel writes it when it has one.
 *
 * And it asks the API server itself: the address of the Service works only once kube-proxy does, which starts at the same time.
 */
const daemon = ({ host, port }: FlannelSettings['endpoint']): ObjectPatch => ({
  kind: 'DaemonSet',
  name: 'kube-flannel-ds',
  merge: {
    spec: {
      // Packets travel on while flannel starts anew: one node after the other would take hours in a big cluster.
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } },
      template: {
        spec: {
          initContainers: [{ name: 'install-cni', $patch: 'delete' }],
          containers: [
            {
              name: 'kube-flannel',
              lifecycle: { postStart: { exec: { command: ['sh', '-c', WRITE_CNI] } } },
              volumeMounts: [{ name: 'cni', mountPath: CNI_DIRECTORY }],
              env: [
                { name: 'KUBERNETES_SERVICE_HOST', value: host },
                { name: 'KUBERNETES_SERVICE_PORT', value: String(port) },
              ],
            },
          ],
        },
      },
    },
  },
});

/** What a cluster changes in flannel's manifest. */
export function flannelPatches(settings: FlannelSettings): readonly ObjectPatch[] {
  const { ipv4, ipv6 } = settings.podNetworks;
  const backend: JsonObject = {
    Type: settings.backend,
    ...(settings.directRouting ? { DirectRouting: true } : {}),
    ...(settings.mtu === 0 ? {} : { MTU: settings.mtu }),
  };
  const config: JsonObject = {
    ...(ipv4 === undefined ? { EnableIPv4: false } : { Network: ipv4 }),
    ...(ipv6 === undefined ? {} : { EnableIPv6: true, IPv6Network: ipv6 }),
    Backend: backend,
  };
  return [
    daemon(settings.endpoint),
    {
      kind: 'ConfigMap',
      name: 'kube-flannel-cfg',
      merge: { data: { 'net-conf.json': `${JSON.stringify(config, undefined, 2)}\n` } },
    },
  ];
}
