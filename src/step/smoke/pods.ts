import { setTimeout as sleep } from 'node:timers/promises';
import { kubexmError } from '../../model/errors/index.ts';
import { defineStep } from '../../plan/step.ts';
import { kubectl, reasonOf } from './kubectl.ts';

/** A pod of the check, or that there is none on a node. A type, so that it is Json too. */
export type SmokePod = {
  readonly node: string;
  readonly name: string;
  readonly addresses: readonly string[];
  readonly nodeAddresses: readonly string[];
  /** Why it does not serve; null where it does. */
  readonly problem: string | null;
};

/** Pods to wait for. */
export interface SmokePods {
  readonly nodes: readonly string[];
  readonly timeoutSeconds: number;
}

interface PodJson {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly hostIPs?: readonly { readonly ip: string }[];
    readonly hostIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
    readonly containerStatuses?: readonly {
      readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } };
    }[];
  };
}

/** What `kubectl get pods -o json` says of each node. */
export function podsIn(text: string, nodes: readonly string[]): readonly SmokePod[] {
  const { items } = JSON.parse(text) as { readonly items: readonly PodJson[] };
  const living = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const byNode = new Map(living.map((pod) => [pod.spec.nodeName, pod]));
  return nodes.map((node) => {
    const pod = byNode.get(node);
    if (pod === undefined) return { node, name: '', addresses: [], nodeAddresses: [], problem: 'no pod' };
    const { podIPs = [], hostIPs, hostIP } = pod.status ?? {};
    const known = hostIPs ?? (hostIP === undefined ? [] : [{ ip: hostIP }]);
    return {
      node,
      name: pod.metadata.name,
      addresses: podIPs.map(({ ip }) => ip),
      nodeAddresses: known.map(({ ip }) => ip),
      problem: problemOf(pod),
    };
  });
}

function problemOf({ status }: PodJson): string | null {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return null;
  const waiting = status?.containerStatuses?.[0]?.state?.waiting;
  const words = waiting === undefined ? [status?.phase, ready?.message] : [waiting.reason, waiting.message];
  return words.filter((word) => word !== undefined && word !== '').join(': ') || 'not ready';
}

/** Waits for the pods of the check. That some do not come is no failure here: the table tells it with everything else. */
export const smokePods = defineStep<SmokePods>()({
  kind: 'smokePods',
  description: 'Waits until a pod of the check serves on every node, and tells of each node what there is.',
  title: () => 'wait for pods of the check',
  nature: 'action',
  apply: async (host, want, io): Promise<readonly SmokePod[]> => {
    const end = performance.now() + want.timeoutSeconds * 1000;
    for (;;) {
      const seen = await host.run(kubectl(['get', 'pods', '-o', 'json']), { signal: io.signal, maxBytes: 1 << 28 });
      const isLast = performance.now() >= end;
      if (seen.code === 0) {
        const pods = podsIn(seen.stdout, want.nodes);
        const serving = pods.filter(({ problem }) => problem === null).length;
        io.progress(serving, pods.length, 'parts');
        if (serving === pods.length || isLast) return pods;
      } else if (isLast) throw kubexmError('KX4608', { what: 'pods', reason: reasonOf(seen) });
      await sleep(500, undefined, { signal: io.signal });
    }
  },
  timeoutSeconds: (want) => want.timeoutSeconds + 60,
  estimateSeconds: 5,
  example: { nodes: ['node1'], timeoutSeconds: 120 },
});
