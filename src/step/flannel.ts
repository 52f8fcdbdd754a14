import type { ImageNeed } from '../model/catalog/need.ts';
import type { Cluster } from '../model/cluster/index.ts';
import type { JsonObject } from '../model/json.ts';
import type { Wanted } from '../plan/ref.ts';
import { dedicated } from '../plan/step.ts';
import { type Kept, kubeObjects, type ObjectPatch } from './generic/index.ts';
import { KUBERNETES } from './kubeadm/index.ts';

type Spec = Cluster['spec'];
type Network = Spec['network'];
type Images = readonly Pick<ImageNeed, 'upstream' | 'reference'>[];

/** What flannel is to be in a cluster. */
export interface Flannel {
  /** The manifest of the project, on this machine. */
  readonly source: Wanted<Kept>;
  /** The images of it: as the project names them, and as the cluster does. */
  readonly images: Images;
  readonly network: Pick<Network, 'flannel'> & { readonly kubePodsCIDR: Omit<Network['kubePodsCIDR'], 'list'> };
  /** Where every node finds the API server. */
  readonly endpoint: Pick<Spec['controlPlaneEndpoint'], 'domain' | 'port'>;
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
const daemon = ({ domain, port }: Flannel['endpoint']): ObjectPatch => ({
  kind: 'DaemonSet',
  name: 'kube-flannel-ds',
  merge: {
    spec: {
      // Packets are still forwarded while flannel restarts: one node after the other would take hours in a big cluster.
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
                { name: 'KUBERNETES_SERVICE_HOST', value: domain },
                { name: 'KUBERNETES_SERVICE_PORT', value: String(port) },
              ],
            },
          ],
        },
      },
    },
  },
});

/** How flannel carries packets between nodes. */
function config({ kubePodsCIDR: { ipv4, ipv6 }, flannel }: Flannel['network']): ObjectPatch {
  const { backend = 'vxlan', directRouting = false, mtu = 0 } = flannel ?? {};
  const settings: JsonObject = {
    ...(ipv4 === undefined ? { EnableIPv4: false } : { Network: ipv4 }),
    ...(ipv6 === undefined ? {} : { EnableIPv6: true, IPv6Network: ipv6 }),
    Backend: {
      Type: backend,
      ...(directRouting ? { DirectRouting: true } : {}),
      // 0: flannel finds it out.
      ...(mtu === 0 ? {} : { MTU: mtu }),
    },
  };
  return {
    kind: 'ConfigMap',
    name: 'kube-flannel-cfg',
    merge: { data: { 'net-conf.json': `${JSON.stringify(settings, undefined, 2)}\n` } },
  };
}

/** Manifests name images with a tag of their own: the one of the catalog is what counts. */
function byName(images: Images): Readonly<Record<string, string>> {
  return Object.fromEntries(images.map(({ upstream, reference }) => [upstream.replace(/:[^:/]*$/, ''), reference]));
}

/** flannel. Its pods are replaced when its settings change: the digest of these is in their template. */
export const flannelManifest = dedicated(
  'manifest',
  kubeObjects,
  'flannel as its project publishes it, with the pod networks, the images and the API server of this cluster.',
  ({ source, images, network, endpoint }: Flannel) =>
    kubeObjects({
      name: 'flannel',
      manifest: { source, images: byName(images), patches: [daemon(endpoint), config(network)] },
      kubeconfig: KUBERNETES.adminConf,
    }),
);
