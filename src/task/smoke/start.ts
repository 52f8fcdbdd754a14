import { getArtifact, resourcesOf } from '../../artifacts/handles/index.ts';
import { barrier, on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, withOutputs } from '../../plan/layers.ts';
import type { ExecutionFragment } from '../../plan/node.ts';
import { member, type Ref } from '../../plan/ref.ts';
import { importImage } from '../../step/artifacts.ts';
import { podsServe, removeObjects, serviceOfCheck, testServer } from '../../step/smoke/index.ts';
import { SMOKE } from '../../step/smoke/objects.ts';
import type { SmokePod } from '../../step/smoke/pods.ts';
import { allNodes, healthyMaster } from '../nodes.ts';

const POD_SECONDS = 120;

/** What the check of a cluster leaves to the one that tries things. */
export interface Started {
  readonly pods: Ref<readonly SmokePod[]>;
  /** The name of the Service. */
  readonly service: Ref<string>;
}

/** A server on every node, from an image that no registry has. */
export const startTask = defineTask<void, Started>({
  name: 'smoke/start',
  description: 'Run a small server on every node, behind Services.',
  tags: ['smoke'],
  steps: [removeObjects, getArtifact, importImage, testServer, serviceOfCheck, podsServe],
  plan: (context) => {
    const first = healthyMaster(context);
    const image = resourcesOf(context).reference(SMOKE.name);
    const nodes = allNodes(context).map(({ name }) => name);
    const pods = on(first, podsServe({ nodes, timeoutSeconds: POD_SECONDS }));
    const service = on(first, serviceOfCheck({}));
    const started = sequence(on(first, testServer({ image })), parallel(service, pods));
    // A check that was killed may have left something that is just being deleted.
    const prepared = parallel(on(first, removeObjects({})), images(context));
    const outputs = { pods: pods.ref(), service: member(service.ref(), 'stdout') };
    return withOutputs(barrier('ready', 'present', prepared, started), outputs);
  },
});

/** The image on all nodes, each with the one for its processor. */
function images(context: PlanContext): ExecutionFragment {
  const { type: runtime } = context.cluster.spec.kubernetes.containerRuntime;
  const resources = resourcesOf(context);
  const reference = resources.reference(SMOKE.name);
  const all = resources.all.filter(({ component }) => component === SMOKE.name);
  return parallel(
    ...all.map((resource) => {
      const hosts = allNodes(context).filter(({ facts }) => facts.arch === resource.arch);
      const imported = on(hosts, importImage({ runtime, reference, artifact: resource.ref() }), {
        name: `image-${resource.arch}`,
      });
      return sequence(resource.ensurePlan(), imported);
    }),
  );
}
