import { on, parallel, rolling, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import type { ExecutionFragment } from '../../plan/node.ts';
import { member } from '../../plan/ref.ts';
import { certificateKey, joinToken, kubeadmJoin } from '../../step/kubeadm.ts';
import { firstMaster, nodesOf } from '../nodes.ts';
import { criSocket, endpointOf, nodeSettings } from './settings.ts';

/** All other nodes: workers side by side, masters one after the other, since etcd takes one new member at a time. */
export const joinKubernetesTask = defineTask({
  name: 'kubernetes/join',
  description: 'Join the other masters and the workers.',
  tags: ['kubernetes', 'join'],
  steps: [joinToken, certificateKey, kubeadmJoin],
  isRequired: (context) => nodesOf(context).length > 1,
  plan: (context) => {
    const first = firstMaster(context);
    const others = nodesOf(context).filter((host) => host.name !== first.name);
    const masters = others.filter(({ roles }) => roles.includes('master'));
    const workers = others.filter(({ roles }) => !roles.includes('master'));
    const token = on(first, joinToken({}));
    const key = on(first, certificateKey({}));
    const join = (host: PlanHost) => {
      const isMaster = host.roles.includes('master');
      return kubeadmJoin({
        criSocket: criSocket(context),
        node: nodeSettings(context, host),
        join: {
          ...common(context),
          token: member(token.ref(), 'token'),
          caCertHash: member(token.ref(), 'caCertHash'),
          ...(isMaster ? { certificateKey: key.ref() } : {}),
        },
      });
    };
    const joined: ExecutionFragment[] = [
      rolling('join-masters', masters, { batch: 1 }, (some) => on(some, join, { name: `join-${some[0]?.name}` })),
      on(workers, join),
    ];
    const mints = masters.length > 0 ? parallel(token, key) : token;
    return { fragment: sequence(mints, parallel(...joined)), outputs: undefined };
  },
});

function common(context: PlanContext) {
  const { spec } = context.cluster;
  return {
    version: spec.kubernetes.version,
    endpoint: endpointOf(context),
    bindPort: spec.controlPlaneEndpoint.port,
  };
}
