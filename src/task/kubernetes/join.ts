import { kubeadm } from '../../component/kubernetes.ts';
import { apiServerPort } from '../../model/cluster/places.ts';
import type { Json } from '../../model/json.ts';
import { marked, on, parallel, type StepFragment, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import { member, type Ref } from '../../plan/ref.ts';
import { certificateKey, joinToken, kubeadmJoin } from '../../step/kubeadm/index.ts';
import { firstMaster, healthyMaster, targetNodes } from '../nodes.ts';
import { endpointOf, nodePlaces, nodeSettings } from './settings.ts';

/** All other nodes: workers side by side, masters one after the other, since etcd takes one new member at a time. */
export const joinKubernetesTask = defineTask({
  name: 'kubernetes/join',
  description: 'Join the other masters and the workers.',
  tags: ['kubernetes', 'join'],
  steps: [joinToken, certificateKey, kubeadmJoin],
  isRequired: (context) => kubeadm.isUsed(context.cluster) && joining(context).length > 0,
  plan: (context) => {
    const speaker = healthyMaster(context);
    const others = joining(context);
    const masters = others.filter(({ roles }) => roles.includes('master'));
    const workers = others.filter(({ roles }) => !roles.includes('master'));
    const token = on(speaker, joinToken({}));
    const key = on(speaker, certificateKey({}));
    const join = (host: PlanHost, after?: Ref<Json>) =>
      kubeadmJoin({
        places: nodePlaces(context, host),
        node: nodeSettings(context, host),
        join: {
          ...common(context),
          token: member(token.ref(), 'token'),
          caCertHash: member(token.ref(), 'caCertHash'),
          ...(host.roles.includes('master') ? { certificateKey: key.ref() } : {}),
        },
        ...(after === undefined ? {} : { after }),
      });
    // No barrier: a master waits for the one before it, and for no other machine.
    const inTurn: StepFragment<Json>[] = [];
    for (const host of masters) {
      inTurn.push(on(host, join(host, inTurn.at(-1)?.ref()), { name: `join-${host.name}` }));
    }
    const mints = masters.length > 0 ? parallel(token, key) : token;
    const all = marked(
      'node-joined',
      parallel(
        ...inTurn,
        on(workers, (host) => join(host)),
      ),
    );
    return sequence(mints, all);
  },
});

/** The cluster begins on the first master; all others join it. */
function joining(context: PlanContext): readonly PlanHost[] {
  const { name: first } = firstMaster(context);
  return targetNodes(context).filter(({ name }) => name !== first);
}

function common(context: PlanContext) {
  const { cluster } = context;
  return {
    version: cluster.spec.kubernetes.version,
    endpoint: endpointOf(context),
    bindPort: apiServerPort(cluster),
  };
}
