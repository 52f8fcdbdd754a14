import { LOCAL } from '../model/host.ts';
import type { Mark } from '../model/mark.ts';
import type { HostSet } from './host-set.ts';
import type { NodeKey } from './ref.ts';
import type { StepUse } from './step.ts';

/**
 * When a join is reached: after all of its predecessors, a majority of their hosts, those hosts that are not lost, or as soon
 * as all are settled, however that came out. Predecessors on the local machine are always needed. See `joinReached`.
 */
export type JoinNeeds = 'all' | 'quorum' | 'present' | 'settled';

/** A node that does nothing: others wait at it. */
export interface JoinBody {
  readonly type: 'join';
  readonly needs: JoinNeeds;
  /** The hosts whose majority or presence counts, where others come here too. */
  readonly voters?: HostSet;
  /** The producer whose values of all hosts it stands for. */
  readonly of?: NodeKey;
}

/** Where a node belongs: set when its task is planned. */
export interface TaskInfo {
  /** `etcd/install` */
  readonly id: string;
  readonly module: string;
  /** Undoes the task on a host as a whole, instead of step by step. */
  readonly compensate?: ExecutionFragment;
}

/**
 * A step on hosts. One node of the plan stands for as many nodes of the graph as it has hosts, and they share one `want`
 * unless `wants` has one for each host.
 */
export interface ExecutionNode {
  readonly key: NodeKey;
  /** Without its host: `etcd/install/unit`. */
  readonly id: string;
  readonly hosts: HostSet;
  readonly tags: readonly string[];
  readonly task: TaskInfo | undefined;
  /** Of a node that belongs to a module but to none of its tasks: a barrier between them. */
  readonly module?: string;
  readonly body:
    | { readonly type: 'step'; readonly use: StepUse }
    | { readonly type: 'steps'; readonly uses: readonly StepUse[] }
    | JoinBody;
  readonly mark?: Mark;
  /** The gate whose satisfied verdict supersedes this node. */
  readonly until: NodeKey | undefined;
}

/**
 * An edge of the plan. `host`: on each host of `on`, from and to meet. `spread`: from the one host of `from` to all of `on`.
 * `gather`: from all of `on` to the one host of `to`. Where there are more, the one is the local machine unless it is named.
 */
export interface Link {
  readonly from: NodeKey;
  readonly to: NodeKey;
  readonly how: 'host' | 'spread' | 'gather';
  readonly on: HostSet;
  /** The one host of `from` that a `spread` starts at, when `from` has more. */
  readonly fromHost?: string;
  /** The one host of `to` that a `gather` ends at, when `to` has more. */
  readonly toHost?: string;
}

/** A node seen from outside a fragment: the first or last one on these hosts. */
export interface Port {
  readonly key: NodeKey;
  readonly hosts: HostSet;
  /** For a node that runs on one machine for the sake of all: the hosts already ordered with it inside the fragment. */
  readonly served: HostSet;
  /** A local node of the fragment stands between these hosts and the outside: other local nodes need no edge of their own. */
  readonly viaLocal?: boolean;
}

/** A piece of the graph. Entry and exit nodes are the first and last on each of its hosts. */
export interface ExecutionFragment {
  readonly nodes: ReadonlyMap<NodeKey, ExecutionNode>;
  readonly links: readonly Link[];
  readonly entryNodes: readonly Port[];
  readonly exitNodes: readonly Port[];
}

/** The one host at which a `spread` starts or a `gather` ends. */
export function oneHost(node: ExecutionNode, named: string | undefined): string {
  return named ?? (node.hosts.size === 1 ? (node.hosts.names[0] ?? LOCAL) : LOCAL);
}
