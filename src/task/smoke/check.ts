import { networkPorts } from '../../component/index.ts';
import { on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import type { Ref } from '../../plan/ref.ts';
import type { Tried } from '../../step/smoke/checks.ts';
import { tellResults, tryCheck } from '../../step/smoke/index.ts';
import type { SmokePod } from '../../step/smoke/pods.ts';
import { healthyMaster } from '../nodes.ts';

const GRACE_SECONDS = 15;

/** What to check with. */
export interface CheckInputs {
  readonly pods: Ref<readonly SmokePod[]>;
  readonly service: Ref<string>;
}

/** Everything that a cluster must be able to do, tried; and one table of it. */
export const smokeCheckTask = defineTask<CheckInputs>({
  name: 'smoke/check',
  description: 'Try what a cluster must be able to do, from pods on every node, and tell it in one table.',
  tags: ['smoke'],
  steps: [tryCheck, tellResults],
  plan: (context, { pods, service }) => {
    const first = healthyMaster(context);
    const domain = context.cluster.spec.kubernetes.clusterName;
    const tried = (check: Tried) =>
      on(first, tryCheck({ check, pods, service, domain, graceSeconds: GRACE_SECONDS }), { name: check });
    const tries = {
      'pod-to-pod': tried('pod-to-pod'),
      dns: tried('dns'),
      service: tried('service'),
      'node-port': tried('node-port'),
      logs: tried('logs'),
      exec: tried('exec'),
    } as const satisfies Record<Tried, unknown>;
    const results = {
      'pod-to-pod': tries['pod-to-pod'].ref(),
      dns: tries.dns.ref(),
      service: tries.service.ref(),
      'node-port': tries['node-port'].ref(),
      logs: tries.logs.ref(),
      exec: tries.exec.ref(),
    };
    const told = on(context.local, tellResults({ pods, tried: results, ports: networkPorts(context.cluster) }));
    return sequence(parallel(...Object.values(tries)), told);
  },
});
