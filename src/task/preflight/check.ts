import { placesOf } from '../../component/places.ts';
import type { Cluster, ClusterHost } from '../../model/cluster/index.ts';
import { barrier, marked, nothing, on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext } from '../../plan/layers.ts';
import { expectedHosts, expectedOf } from '../../step/preflight/expected.ts';
import {
  judgeHost,
  listen,
  lookAtHost,
  measureDisk,
  reach,
  stopListening,
  tellFindings,
} from '../../step/preflight/index.ts';
import { lookFor } from '../../step/preflight/look-for.ts';
import { servedPorts, type Target, targetsIn } from '../../step/preflight/ports.ts';
import { proxyModeIn } from '../nodes.ts';

/** Checks all hosts at once, changes nothing, and tells everything in one table. */
export const checkTask = defineTask({
  name: 'preflight/check',
  description: 'Check all hosts and tell everything that was found in one table.',
  tags: ['preflight', 'check'],
  steps: [judgeHost, lookAtHost, measureDisk, listen, reach, stopListening, tellFindings],
  plan: (context) => {
    const { cluster, targets: hosts, unreachable } = context;
    const [expected, wants] = [expectedOf(cluster), lookFor(cluster, proxyModeIn(context))];
    const { etcdDir } = placesOf(cluster);
    const judged = on(hosts, (host) => judgeHost(expected(host.roles)));
    const looked = on(hosts, (host) => lookAtHost(wants(host.name)));
    const disks = on(etcdHosts(context), measureDisk({ dir: etcdDir }));
    const ports = tryPorts(context);
    const findings = tellFindings({
      hosts: expectedHosts(cluster, hosts),
      judged: judged.refs(),
      looked: looked.refs(),
      ...(unreachable ? { unreachable } : {}),
      ...(disks.nodes.size > 0 ? { disks: { path: etcdDir, measured: disks.refs() } } : {}),
      ...(ports.values ? { ports: ports.values } : {}),
    });
    const checks = parallel(judged, looked, disks, ports.fragment);
    // A run that was killed while it listened must not find itself on the ports.
    const cleared = ports.values ? on(hosts, stopListening({}), { name: 'nobody-listens' }) : nothing();
    return marked('leaves-nothing', sequence(cleared, checks, on(context.local, findings)));
  },
});

/** Hosts on which kubexm lets an etcd write. */
function etcdHosts({ cluster, targets }: PlanContext) {
  return cluster.spec.etcd.type === 'external' ? [] : targets.filter(({ roles }) => roles.includes('etcd'));
}

/** All listen; when all do, all try to reach each other; then nobody listens any more. */
function tryPorts({ cluster, hosts }: PlanContext) {
  if (hosts.length < 2) return { fragment: nothing(), values: undefined };
  const [config, targets] = [configOf(cluster), targetsIn(cluster)];
  const listens = shared((ports: readonly number[]) => listen({ ports, hosts: hosts.length }));
  const reaches = shared((some: readonly Target[]) => reach({ targets: some }));
  const listened = on(hosts, (host) => listens(servedPorts(cluster, config(host.name))));
  const reached = on(hosts, (host) => reaches(targets(config(host.name))));
  const stopped = on(hosts, stopListening({}));
  return {
    fragment: barrier('listening', 'present', listened, barrier('reached', 'present', reached, stopped)),
    values: { listened: listened.refs(), reached: reached.refs() },
  };
}

/** Hosts that do the same share it: the workers of thousands. */
function shared<P, U>(make: (params: P) => U): (params: P) => U {
  const known = new Map<string, U>();
  return (params) => {
    const key = JSON.stringify(params);
    const use = known.get(key) ?? make(params);
    known.set(key, use);
    return use;
  };
}

function configOf(cluster: Cluster): (name: string) => ClusterHost {
  const byName = new Map(cluster.spec.hosts.map((host) => [host.name, host]));
  return (name) => {
    const host = byName.get(name);
    if (!host) throw new TypeError(`${name} is not in the configuration`);
    return host;
  };
}
