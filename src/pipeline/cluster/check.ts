import { smokeComponents, smokeEnd, smokeModule } from '../../module/smoke.ts';
import { definePipeline } from '../../plan/layers.ts';

/** Proves with real pods that a cluster works, and leaves nothing of them behind. */
export const checkCluster = definePipeline({
  name: 'check cluster',
  description: 'Prove with real pods that the cluster works.',
  actsOn: ['**'],
  modules: [smokeModule],
  owns: true,
  usesArtifacts: smokeComponents,
  plan: (context) => smokeModule.plan(context).fragment,
  finalizers: (context) => smokeEnd.plan(context).fragment,
});
