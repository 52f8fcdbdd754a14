import { networkParts } from '../../model/network-plugin.ts';
import { on, sequence } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { member } from '../../plan/ref.ts';
import { askHealth, tellHealth } from '../../step/cluster.ts';
import { CONTROL_PLANE, firstMaster, nodesOf } from '../nodes.ts';

const ADD_ONS = [
  { title: 'kube-proxy', namespace: 'kube-system', name: 'kube-proxy' },
  { title: 'CoreDNS', namespace: 'kube-system', name: 'coredns' },
];

/** The last look, for people to see. */
export const reportTask = defineTask({
  name: 'cluster/report',
  description: 'Tell how the cluster is.',
  tags: ['report'],
  steps: [askHealth, tellHealth],
  plan: (context) => {
    const { metadata, spec } = context.cluster;
    const { title, namespace, name } = networkParts(spec.network).daemon;
    const addOns = [...ADD_ONS, { title, namespace, name }];
    const namespaces = [...new Set(addOns.map(({ namespace }) => namespace))];
    const asked = on(firstMaster(context), askHealth({ namespaces }));
    const told = tellHealth({
      cluster: metadata.name,
      nodes: nodesOf(context).map(({ name, roles }) => ({ name, roles })),
      controlPlane: CONTROL_PLANE,
      addOns,
      said: member(asked.ref(), 'stdout'),
    });
    return { fragment: sequence(asked, on(context.local, told)), outputs: undefined };
  },
});
