import { type ComponentKind, componentsOf, type Workload } from '../../component/index.ts';
import type { Cluster } from '../../model/cluster/index.ts';
import type { Mark } from '../../model/mark.ts';
import { marked, nothing, on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import type { ExecutionFragment } from '../../plan/node.ts';
import { member } from '../../plan/ref.ts';
import { controlPlaneHealthy } from '../../step/binary/services.ts';
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
  steps: [nodeReady, daemonRevision, daemonReady, controlPlaneReady, controlPlaneHealthy, deploymentServes],
  plan: (context) => {
    const nodes = targetNodes(context);
    const first = healthyMaster(context);
    const waits = namedWorkloads(context.cluster).map(({ name, mark, workload }) => {
      const ready = (fragment: ExecutionFragment) => (mark === undefined ? fragment : marked(mark, fragment));
      if (workload.kind === 'Deployment')
        return { revision: nothing(), ready: ready(on(first, deploymentServes(workload), { name })) };
      if (!workload.applied)
        return {
          revision: nothing(),
          ready: ready(on(nodes, ({ name: node }) => daemonReady({ ...workload, node }), { name })),
        };
      const revision = on(first, daemonRevision(workload), { name: `revision-${name}` });
      const current = member(revision.ref(), 'stdout');
      return {
        revision,
        ready: ready(on(nodes, ({ name: node }) => daemonReady({ ...workload, node, revision: current }), { name })),
      };
    });
    return sequence(
      // Beside what takes longer: nobody waits for it when a cluster is new.
      parallel(
        marked(
          'nodes-ready',
          on(nodes, (host) => nodeReady({ node: host.name })),
        ),
        ...waits.map(({ revision }) => revision),
      ),
      parallel(marked('control-plane-ready', controlPlaneOf(context)), ...waits.map(({ ready }) => ready)),
    );
  },
});

/** What it means to the cluster that the workloads of such components are ready. */
const READY: Partial<Record<ComponentKind, Mark>> = {
  network: 'network-ready',
  proxy: 'proxy-ready',
  dns: 'dns-ready',
};

/** Static pods, or services: each master looks at its own. */
function controlPlaneOf(context: PlanContext): ExecutionFragment {
  const components = staticPods(context);
  const ready = ({ name: node }: PlanHost) =>
    components.length === 0 ? controlPlaneHealthy({ node }) : controlPlaneReady({ node, components });
  return on(targetMasters(context), ready, { name: 'control-plane' });
}

/** The workloads of a cluster, named by the kind of their component: the first `network`, further ones `network-<name>`. */
function namedWorkloads(
  cluster: Cluster,
): readonly { readonly name: string; readonly mark: Mark | undefined; readonly workload: Workload }[] {
  const seen = new Set<string>();
  return componentsOf(cluster).flatMap((component) =>
    (component.workloads?.(cluster) ?? []).map((workload) => {
      const name = seen.has(component.kind) ? `${component.kind}-${workload.name}` : component.kind;
      seen.add(component.kind);
      return { name, mark: READY[component.kind], workload };
    }),
  );
}
