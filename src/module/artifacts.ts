import { moduleOf } from '../plan/layers.ts';
import { getArtifactsTask } from '../task/artifacts/get.ts';

/** Everything the cluster is installed from, on the machine kubexm runs on. */
export const artifactsModule = moduleOf(
  'artifacts',
  'Programs, images, charts and manifests, got once and checked by digest.',
  getArtifactsTask,
);
