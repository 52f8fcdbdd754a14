import { smokeComponents, smokeEnd, smokeModule } from '../../module/smoke.ts';
import { definePipeline } from '../../plan/layers.ts';

/** Proves with real pods that a cluster works, and leaves nothing of them behind. */
export const checkCluster = definePipeline({
  name: 'check cluster',
  description: 'Prove with real pods that the cluster works.',
  actsOn: ['**'],
  modules: [smokeModule],
  policy: 'change',
  usesArtifacts: smokeComponents,
  plan: (context) => smokeModule.plan(context),
  finalizers: (context) => smokeEnd.plan(context),
});
