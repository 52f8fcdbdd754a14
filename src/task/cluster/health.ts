import { componentsOf, type Workload } from '../../component/index.ts';
import type { Cluster } from '../../model/cluster/index.ts';
import { nothing, on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { member } from '../../plan/ref.ts';
import {
  controlPlaneReady,
  daemonReady,
  daemonRevision,
  deploymentServes,
  nodeReady,
} from '../../step/cluster/index.ts';
import { healthyMaster, staticPods, targetMasters, targetNodes } from '../nodes.ts';

/** The cluster is well. Each node looks at itself: one that is lost holds nobody up, and is not called ready either. */
export const healthTask = defineTask({
  name: 'cluster/health',
  description:
    'Wait until every node is ready, with its network and its part of the control plane, and names are answered.',
  tags: ['health'],
  steps: [nodeReady, daemonRevision, daemonReady, controlPlaneReady, deploymentServes],
  plan: (context) => {
    const nodes = targetNodes(context);
    const first = healthyMaster(context);
    const waits = namedWorkloads(context.cluster).map(([name, workload]) => {
      if (workload.kind === 'Deployment')
        return { revision: nothing(), ready: on(first, deploymentServes(workload), { name }) };
      if (!workload.applied)
        return {
          revision: nothing(),
          ready: on(nodes, ({ name: node }) => daemonReady({ ...workload, node }), { name }),
        };
      const revision = on(first, daemonRevision(workload), { name: `revision-${name}` });
      const current = member(revision.ref(), 'stdout');
      return {
        revision,
        ready: on(nodes, ({ name: node }) => daemonReady({ ...workload, node, revision: current }), { name }),
      };
    });
    return sequence(
      // Beside what takes longer: nobody waits for it when a cluster is new.
      parallel(
        on(nodes, (host) => nodeReady({ node: host.name })),
        ...waits.map(({ revision }) => revision),
      ),
      parallel(
        on(targetMasters(context), (host) => controlPlaneReady({ node: host.name, components: staticPods(context) }), {
          name: 'control-plane',
        }),
        ...waits.map(({ ready }) => ready),
      ),
    );
  },
});

/** The workloads of a cluster, named by the kind of their component: the first `network`, further ones `network-<name>`. */
function namedWorkloads(cluster: Cluster): readonly (readonly [string, Workload])[] {
  const seen = new Set<string>();
  return componentsOf(cluster).flatMap((component) =>
    (component.workloads?.(cluster) ?? []).map((workload) => {
      const name = seen.has(component.kind) ? `${component.kind}-${workload.name}` : component.kind;
      seen.add(component.kind);
      return [name, workload] as const;
    }),
  );
}
