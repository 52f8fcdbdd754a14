import { componentsOf } from '../../component/index.ts';
import type { Effect } from '../../model/effect.ts';
import { on, parallel } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import { prerequisites, volumesExpected } from '../../step/node/index.ts';

/** Installs what the cluster needs of the system, and what the user asked for. */
export const packagesTask = defineTask({
  name: 'node/packages',
  description: 'Packages that the cluster needs, and those of the configuration.',
  tags: ['node', 'packages'],
  steps: [prerequisites, volumesExpected],
  plan: (context) => {
    const { cluster, targets } = context;
    const { kubernetes, system } = cluster.spec;
    const { rpms, debs, timezone } = system;
    const common = { rpms, debs, timeZones: timezone !== undefined, ipvs: kubernetes.proxyMode === 'ipvs' };
    return parallel(
      on(targets, (host) =>
        prerequisites({
          system: host.facts,
          more: { ...common, components: packagesOf(context, host) },
          effects: effectsOf(context, host),
        }),
      ),
      on(targets, ({ facts }) => volumesExpected(facts)),
    );
  },
});

/** What components of the cluster take from the operating system of a host: one transaction for all. */
function packagesOf({ artifacts }: PlanContext, { name }: PlanHost) {
  const needs = artifacts?.needs ?? [];
  return needs.flatMap(({ packages }) => (packages?.hosts.includes(name) ? [packages.names] : []));
}

/** What those packages leave when they are removed. */
function effectsOf({ artifacts, cluster }: PlanContext, { name }: PlanHost): readonly Effect[] {
  const needs = artifacts?.needs ?? [];
  const here = new Set(needs.flatMap((need) => (need.packages?.hosts.includes(name) ? [need.component] : [])));
  return componentsOf(cluster).flatMap((one) => (here.has(one.name) ? (one.packageEffects ?? []) : []));
}
