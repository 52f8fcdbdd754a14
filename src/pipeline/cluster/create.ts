import { supportedFields } from '../../component/index.ts';
import type { Text } from '../../model/errors/index.ts';
import { artifactsModule } from '../../module/artifacts.ts';
import { clusterModule, diagnosticsModule } from '../../module/cluster.ts';
import { dnsModule } from '../../module/dns.ts';
import { etcdModule } from '../../module/etcd.ts';
import {
  certificatesModule,
  kubeletModule,
  kubernetesInitModule,
  kubernetesModule,
  kubernetesProgramsModule,
} from '../../module/kubernetes.ts';
import { loadBalancerModule, localBalancerModule } from '../../module/load-balancer.ts';
import { networkModule } from '../../module/network.ts';
import { nodeFields, nodeModule, nodeVolumesModule } from '../../module/node.ts';
import { confirmation, preflight } from '../../module/preflight.ts';
import { imagesModule, runtimeModule } from '../../module/runtime.ts';
import { barrier, lastly, nothing, parallel, sequence } from '../../plan/combinators.ts';
import { definePipeline, type PlanContext } from '../../plan/layers.ts';
import type { ExecutionFragment, JoinNeeds } from '../../plan/node.ts';
import { COMMON_FIELDS } from './supported.ts';

/** The parameters of `kubexm create cluster`. */
export interface CreateClusterParams {
  readonly skipPreflight: boolean;
  /** What is asked before the first change. Default: whether to create the cluster. */
  readonly question?: Text;
}

/**
 * Brings up a cluster: look, ask, then each machine on its own way to a node. All wait only where they must: for the first
 * master before they join, and for each other before the cluster is called well.
 */
export const createCluster = definePipeline<CreateClusterParams>({
  name: 'create cluster',
  description: 'Bring up a cluster.',
  actsOn: [...COMMON_FIELDS, ...nodeFields, ...supportedFields()],
  modules: [
    preflight,
    confirmation,
    artifactsModule,
    nodeModule,
    runtimeModule,
    imagesModule,
    kubernetesProgramsModule,
    certificatesModule,
    kubeletModule,
    nodeVolumesModule,
    etcdModule,
    loadBalancerModule,
    localBalancerModule,
    kubernetesInitModule,
    kubernetesModule,
    networkModule,
    dnsModule,
    clusterModule,
    diagnosticsModule,
  ],
  policy: 'change',
  usesArtifacts: true,
  checks: ({ skipPreflight }) => (skipPreflight ? [] : [preflight]),
  plan: (context, { skipPreflight, question = questionOf(context) }) => {
    const runtime = runtimeModule.plan(context);
    const store = etcdModule.plan(context);
    const balancers = loadBalancerModule.plan(context);
    const begun = kubernetesInitModule.plan(context);
    // The kubelet needs all of the machine, images only the runtime.
    const machines = parallel(
      sequence(
        parallel(nodeModule.plan(context), runtime, kubernetesProgramsModule.plan(context)),
        parallel(sequence(kubeletModule.plan(context), localBalancerModule.plan(context)), balancers),
      ),
      sequence(runtime, imagesModule.plan(context)),
      certificatesModule.plan(context),
      store,
    );
    // Pods may need volumes one day; the cluster comes up without.
    const nodes = sequence(
      parallel(
        sequence(begun, kubernetesModule.plan(context), parallel(networkModule.plan(context), dnsModule.plan(context))),
        nodeVolumesModule.plan(context),
      ),
      clusterModule.plan(context),
    );
    // Once there is a cluster, the diagnostics end the run, also where nodes failed.
    const cluster = lastly('joined', nodes, begun, diagnosticsModule.plan(context));
    return sequence(
      skipPreflight ? nothing() : preflight.plan(context),
      confirmation.plan(context, { question }),
      parallel(
        artifactsModule.plan(context),
        sequence(machines, cluster),
        // The first master begins when there is a majority of etcd and a load balancer, on whatever hosts they are.
        ready('etcd-ready', 'quorum', store, begun),
        ready('balanced', 'present', balancers, begun),
      ),
    );
  },
});

/** What other hosts have to serve before something begins, if there are any. */
function ready(name: string, needs: JoinNeeds, served: ExecutionFragment, begun: ExecutionFragment): ExecutionFragment {
  return served.nodes.size === 0 ? nothing() : barrier(name, needs, served, begun);
}

function questionOf({ cluster: { metadata }, hosts }: PlanContext): Text {
  return {
    en: `Create the cluster ${metadata.name}? Hosts: ${hosts.length}`,
    zh: `是否创建集群 ${metadata.name}？主机数：${hosts.length}`,
  };
}
