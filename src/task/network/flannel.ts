import { on } from '../../plan/combinators.ts';
import { defineTask, type PlanContext } from '../../plan/layers.ts';
import { resourcesOf } from '../../resource/index.ts';
import { applyManifest } from '../../step/cluster.ts';
import { flannelPatches } from '../../step/network.ts';
import { firstMaster } from '../nodes.ts';

/** flannel: the manifest of the project, with this cluster's networks and images. */
export const flannelTask = defineTask({
  name: 'network/flannel',
  description: 'Apply flannel, with the networks of this cluster.',
  tags: ['network', 'flannel'],
  steps: [applyManifest],
  isRequired: ({ cluster }) => cluster.spec.network.plugin === 'flannel',
  plan: (context) => {
    const first = firstMaster(context);
    const fragment = on(first, applyManifest({ name: 'flannel', ...manifest(context) }));
    return { fragment, outputs: undefined };
  },
});

function manifest(context: PlanContext) {
  const { network, controlPlaneEndpoint } = context.cluster.spec;
  const endpoint = { host: controlPlaneEndpoint.domain, port: controlPlaneEndpoint.port };
  const resources = resourcesOf(context);
  const { backend = 'vxlan', directRouting = false, mtu = 0 } = network.flannel ?? {};
  const images = resources.need('flannel')?.images ?? [];
  return {
    source: resources.file('flannel', 'kube-flannel.yml').ref(),
    images: Object.fromEntries(images.map(({ upstream, reference }) => [upstream.replace(/:[^:/]*$/, ''), reference])),
    patches: flannelPatches({ podNetworks: network.kubePodsCIDR, backend, directRouting, mtu, endpoint }),
  };
}
