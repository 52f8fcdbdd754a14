import { resetModule } from '../../module/reset.ts';
import { definePipeline } from '../../plan/layers.ts';

const reset = resetModule([]);

/** Puts every machine of a cluster back as it was before: the inverse of their manifests, all at once. */
export const deleteCluster = definePipeline({
  name: 'delete cluster',
  description: 'Put every machine of the cluster back as it was before.',
  actsOn: ['**'],
  modules: [reset],
  policy: 'undo',
  everyHost: true,
  plan: (context) => {
    const nodes = context.hosts.map(({ name }) => name);
    return reset.plan(context, { nodes, whole: true });
  },
});
