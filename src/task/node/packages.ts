import { on, parallel } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { prerequisites, volumesExpected } from '../../step/node.ts';

/** Installs what the cluster needs of the system, and what the user asked for. */
export const packagesTask = defineTask({
  name: 'node/packages',
  description: 'Packages that the cluster needs, and those of the configuration.',
  tags: ['node', 'packages'],
  steps: [prerequisites, volumesExpected],
  plan: ({ cluster, targets }) => {
    const { kubernetes, system } = cluster.spec;
    const { rpms, debs, timezone } = system;
    const more = { rpms, debs, timeZones: timezone !== undefined, ipvs: kubernetes.proxyMode === 'ipvs' };
    return parallel(
      on(targets, ({ facts }) => prerequisites({ system: facts, more })),
      on(targets, ({ facts }) => volumesExpected(facts)),
    );
  },
});
