import { componentsOf } from '../../component/index.ts';
import { on, sequence } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { member } from '../../plan/ref.ts';
import { askHealth, tellHealth } from '../../step/cluster/index.ts';
import { allNodes, healthyMaster, staticPods } from '../nodes.ts';

/** The last look, for people to see. */
export const reportTask = defineTask({
  name: 'cluster/report',
  description: 'Tell how the cluster is.',
  tags: ['report'],
  steps: [askHealth, tellHealth],
  plan: (context) => {
    const { cluster } = context;
    const workloads = componentsOf(cluster).flatMap((component) => component.workloads?.(cluster) ?? []);
    const addOns = workloads.map(({ title, namespace, name }) => ({ title, namespace, name }));
    const namespaces = [...new Set(addOns.map(({ namespace }) => namespace))];
    const asked = on(healthyMaster(context), askHealth({ namespaces }));
    const told = tellHealth({
      cluster: cluster.metadata.name,
      nodes: allNodes(context).map(({ name, roles }) => ({ name, roles })),
      controlPlane: staticPods(context),
      addOns,
      said: member(asked.ref(), 'stdout'),
    });
    return sequence(asked, on(context.local, told));
  },
});
