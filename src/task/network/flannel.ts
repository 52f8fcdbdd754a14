import { resourcesOf } from '../../artifacts/handles/index.ts';
import { flannel } from '../../component/flannel.ts';
import { on } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { flannelManifest } from '../../step/flannel.ts';
import { healthyMaster } from '../nodes.ts';

/** flannel: the manifest of the project, with this cluster's networks and images. */
export const flannelTask = defineTask({
  name: 'network/flannel',
  description: 'Apply flannel, with the networks of this cluster.',
  tags: ['network', 'flannel'],
  steps: [flannelManifest],
  isRequired: ({ cluster }) => flannel.isUsed(cluster),
  plan: (context) => {
    const { network, controlPlaneEndpoint: endpoint } = context.cluster.spec;
    const resources = resourcesOf(context);
    const source = resources.file('flannel', 'kube-flannel.yml').ref();
    const images = resources.need('flannel')?.images ?? [];
    const applied = flannelManifest({ source, images, network, endpoint });
    return on(healthyMaster(context), applied);
  },
});
