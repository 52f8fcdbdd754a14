import { defineModule } from '../plan/layers.ts';
import { getArtifactsTask } from '../task/artifacts/get.ts';

/** Everything the cluster is installed from, on the machine kubexm runs on. */
export const artifactsModule = defineModule({
  name: 'artifacts',
  description: 'Programs, images, charts and manifests, got once and checked by digest.',
  tasks: [getArtifactsTask],
  plan: (context) => ({ fragment: getArtifactsTask.use(context).fragment, outputs: undefined }),
});
