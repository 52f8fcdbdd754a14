import { getArtifact, resourcesOf } from '../../artifacts/handles/index.ts';
import { parallel, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext } from '../../plan/layers.ts';

/** Gets everything the cluster needs onto the machine kubexm runs on. */
export const getArtifactsTask = defineTask({
  name: 'artifacts/get',
  description: 'Get programs, images, charts and manifests onto the machine kubexm runs on.',
  tags: ['artifacts', 'download'],
  steps: [getArtifact],
  plan: (context) => parallel(...perComponent(context)),
});

/** Images come after the files of their component: where both are built from source, one build makes them all. */
function perComponent(context: PlanContext) {
  const { all } = resourcesOf(context);
  return [...Map.groupBy(all, ({ component }) => component).values()].map((some) => {
    const [images, files] = [some.filter(isImage), some.filter((one) => !isImage(one))];
    return sequence(
      parallel(...files.map((one) => one.ensurePlan())),
      parallel(...images.map((one) => one.ensurePlan())),
    );
  });
}

function isImage({ item }: { readonly item: { readonly kind: string } }): boolean {
  return item.kind === 'image';
}
