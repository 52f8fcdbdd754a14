import { hostsOf } from '../model/cluster/cluster.ts';
import { kubexmError } from '../model/errors/index.ts';
import type { Machine, Output } from '../model/host.ts';
import { sh } from '../model/script.ts';
import { openCluster } from '../state/open-config.ts';
import { type WithHostsOptions, withHosts } from './with-hosts.ts';

/** A node as the cluster itself tells. */
export interface LiveNode {
  readonly name: string;
  readonly ready: 'True' | 'False' | 'Unknown';
  readonly version: string;
  readonly schedulable: boolean;
  readonly createdAt: string;
}

/** What a cluster says about itself. */
export interface LiveCluster {
  /** The master that was asked. */
  readonly through: string;
  readonly nodes: readonly LiveNode[];
  /** What the API server checks about itself: `etcd` → whether it is well. */
  readonly checks: Readonly<Record<string, boolean>>;
}

const KUBECTL = [
  'kubectl',
  '--cache-dir=/dev/null',
  '--kubeconfig',
  '/etc/kubernetes/admin.conf',
  '--request-timeout=10s',
];
const FIELDS = [
  '{.metadata.name}',
  '{.status.conditions[?(@.type=="Ready")].status}',
  '{.status.nodeInfo.kubeletVersion}',
  '{.spec.unschedulable}',
  '{.metadata.creationTimestamp}',
];
/** A line per node: all that is asked of 5,000 fits into one answer. */
const NODES = `jsonpath={range .items[*]}${FIELDS.join('{"\\t"}')}{"\\n"}{end}`;

/** Asks a cluster how it is, through the first of its masters that can be used. Changes nothing. */
export async function askCluster(options: Omit<WithHostsOptions, 'nodes'>): Promise<LiveCluster> {
  const { cluster } = await openCluster(options.configFile, options.overrides);
  const masters = hostsOf(cluster, 'master').map((host) => host.name);
  if (masters.length === 0) throw kubexmError('KX4036', { file: options.configFile });
  let failure: unknown;
  for (const master of masters) {
    try {
      return await withHosts('get nodes', { ...options, nodes: [master] }, async ({ machines, unreachable }) => {
        const machine = machines.get(master);
        if (!machine) throw unreachable.get(master) ?? kubexmError('KX4035', { host: master, reason: 'no connection' });
        return await askThrough(machine, master);
      });
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

async function askThrough(machine: Machine, host: string): Promise<LiveCluster> {
  const [nodes, ready] = await Promise.all([
    machine.run(sh`${KUBECTL} get nodes -o ${NODES}`),
    // It fails when one of its checks does, and still tells about all of them.
    machine.run(sh`${KUBECTL} get --raw ${'/readyz?verbose'} 2>&1`),
  ]);
  if (nodes.code !== 0) {
    const [reason = ''] = nodes.stderr.trim().split('\n').slice(-1);
    throw kubexmError('KX4035', { host, reason }, { detail: nodes.stderr.trim() });
  }
  return { through: host, nodes: readNodes(nodes), checks: readChecks(ready) };
}

/** Nodes, of lines with their fields between tabs. */
export function readNodes({ stdout }: Pick<Output, 'stdout'>): readonly LiveNode[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line): LiveNode => {
    const [name = '', ready, version = '', unschedulable, createdAt = ''] = line.split('\t');
    const known = ready === 'True' || ready === 'False' ? ready : 'Unknown';
    return { name, ready: known, version, schedulable: unschedulable !== 'true', createdAt };
  });
}

/** The checks of the API server, of lines such as `[+]etcd ok` and `[-]etcd failed: reason withheld`. */
export function readChecks({ stdout }: Pick<Output, 'stdout'>): Readonly<Record<string, boolean>> {
  const found = [...stdout.matchAll(/^\[([+-])\](\S+)/gm)];
  return Object.fromEntries(found.map(([, sign, name = '']) => [name, sign === '+']));
}
