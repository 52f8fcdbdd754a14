import { artifactsModule } from '../../module/artifacts.ts';
import { definePipeline } from '../../plan/layers.ts';

/** Gets everything a cluster needs, before there is a cluster. No host is touched. */
export const downloadArtifacts = definePipeline({
  name: 'download artifacts',
  description: 'Get everything a cluster needs onto this machine, verified.',
  actsOn: ['**'],
  modules: [artifactsModule],
  policy: 'inspect',
  local: true,
  usesArtifacts: true,
});
