import { resourcesOf } from '../../artifacts/handles/index.ts';
import { on, parallel } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { importImage } from '../../step/artifacts.ts';

/** Imports the images of each host into its runtime: no node pulls, so none needs a registry. */
export const importImagesTask = defineTask({
  name: 'artifacts/import-images',
  description: 'Import the images that each host needs into its container runtime.',
  tags: ['artifacts', 'images'],
  steps: [importImage],
  plan: (context) => {
    const resources = resourcesOf(context);
    const { type: runtime } = context.cluster.spec.kubernetes.containerRuntime;
    const imports = resources.all
      .filter(({ item }) => item.kind === 'image')
      .map((resource) => {
        const hosts = context.targets.filter(
          ({ name, facts }) => resource.hosts.includes(name) && resource.arch === facts.arch,
        );
        const { name } = resource.item;
        const use = importImage({ runtime, reference: resources.reference(name), artifact: resource.ref() });
        return on(hosts, use, { name: `image-${name}-${resource.arch}` });
      });
    return parallel(...imports);
  },
});
