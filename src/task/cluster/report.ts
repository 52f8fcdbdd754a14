import { componentsOf } from '../../component/index.ts';
import { binaryKubernetes } from '../../component/kubernetes.ts';
import { apiServerPort } from '../../model/cluster/places.ts';
import { on, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext } from '../../plan/layers.ts';
import { member } from '../../plan/ref.ts';
import { askServices, LED } from '../../step/binary/health.ts';
import { serverAt } from '../../step/binary/places.ts';
import { askHealth, tellHealth } from '../../step/cluster/index.ts';
import { configOf } from '../kubernetes/settings.ts';
import { allNodes, healthyMaster, staticPods } from '../nodes.ts';

/** The last look, for people to see. */
export const reportTask = defineTask({
  name: 'cluster/report',
  description: 'Tell how the cluster is.',
  tags: ['report'],
  steps: [askHealth, tellHealth],
  plan: (context) => {
    const { cluster } = context;
    const isBinary = binaryKubernetes.isUsed(cluster);
    const workloads = componentsOf(cluster).flatMap((component) => component.workloads?.(cluster) ?? []);
    const addOns = workloads.map(({ title, namespace, name }) => ({ title, namespace, name }));
    const namespaces = [...new Set(addOns.map(({ namespace }) => namespace))];
    const asked = on(
      healthyMaster(context),
      askHealth({ namespaces, ...(isBinary ? { services: askServices(serversOf(context)) } : {}) }),
    );
    const told = tellHealth({
      cluster: cluster.metadata.name,
      nodes: allNodes(context).map(({ name, roles }) => ({ name, roles })),
      controlPlane: isBinary ? ['kube-apiserver'] : staticPods(context),
      ...(isBinary ? { led: LED } : {}),
      addOns,
      said: member(asked.ref(), 'stdout'),
    });
    return sequence(asked, on(context.local, told));
  },
});

/** The API servers of the masters, each at its own address. */
function serversOf(context: PlanContext) {
  const port = apiServerPort(context.cluster);
  return context.role('master').map(({ name }) => ({
    name,
    server: serverAt(configOf(context, { name }).internal.list[0] ?? '', port),
  }));
}
