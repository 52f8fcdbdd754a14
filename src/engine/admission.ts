import type { ExecutionGraph } from '../plan/graph.ts';
import { joinReached } from '../plan/join.ts';
import type { NodeKey } from '../plan/ref.ts';
import type { Ledger, Settled } from './ledger.ts';
import type { ExecuteOptions } from './options.ts';
import { guardOf, type Role, roleFinder } from './selection.ts';
import { natureOf } from './values.ts';

/** What admission looks at that changes while a graph is walked. */
export interface Conditions {
  /** Nothing new starts but cleanups. */
  readonly stopping: boolean;
  /** Nothing new starts at all. */
  readonly stopped: boolean;
  isLost(host: string): boolean;
  /** The node's task has failed on its host. */
  isFailing(i: number): boolean;
  /** A job of the node from before a crash may still be running. */
  mayHaveJob(i: number): boolean;
}

/** Says of nodes whether they need to be looked at, and how they end if not. */
export class Admission {
  private readonly graph: ExecutionGraph;
  private readonly ledger: Ledger;
  private readonly conditions: Conditions;
  /** What a node does in this run. */
  readonly roleOf: (i: number) => Role;
  private readonly gates: ReadonlySet<number>;

  constructor(options: ExecuteOptions, ledger: Ledger, conditions: Conditions) {
    const { graph } = options;
    this.graph = graph;
    this.ledger = ledger;
    this.conditions = conditions;
    this.roleOf = roleFinder(graph, options.selection);
    this.gates = new Set(graph.nodes.flatMap((node) => (node.until ? (graph.indexOf(node.until) ?? []) : [])));
  }

  /** Whether a node only decides about others. */
  isGate(i: number): boolean {
    return this.gates.has(this.graph.nodeOf[i] ?? 0);
  }

  /** Whether a node that is not ready yet is going to be checked, as far as anybody can say. */
  mayBeChecked(i: number): boolean {
    const { until } = this.graph.node(i);
    return this.roleOf(i) !== 'leave' && (!until || this.gate(i, until) !== undefined);
  }

  /** How a ready node ends that needs neither a check nor a change. */
  withoutLooking(i: number): Settled | undefined {
    const { graph, ledger, conditions } = this;
    const { body, until } = graph.node(i);
    if (body.type === 'join') {
      const view = { succeeded: (k: number) => ledger.isGood(k), isLost: (host: string) => conditions.isLost(host) };
      return joinReached(graph, i, body, view) ? 'passed' : 'cut';
    }
    if (this.roleOf(i) === 'leave') return ledger.isBlocked(i) ? 'cut' : 'passed';
    const late = this.tooLate(i);
    if (late !== undefined) return late;
    const gate = until && this.gate(i, until);
    // A job that still runs must be waited for, though what it makes may look finished already.
    if ((gate === 'satisfied' || gate === 'superseded') && !conditions.mayHaveJob(i)) return 'superseded';
    return natureOf(graph, i) === 'mint' ? 'passed' : undefined;
  }

  /** How a node ends that must not start any more. */
  tooLate(i: number): 'skipped' | 'unknown' | undefined {
    if (this.conditions.isLost(this.graph.host(i))) return 'unknown';
    if (this.ledger.isBlocked(i)) return 'skipped';
    const { stopping, stopped } = this.conditions;
    const over = stopping && (stopped || guardOf(this.graph.node(i)) !== 'cleanup');
    return over || this.conditions.isFailing(i) ? 'skipped' : undefined;
  }

  /** How a node's gate was settled. A gate on one host decides for all. */
  private gate(i: number, key: NodeKey): Settled | undefined {
    const { graph } = this;
    const gate = graph.indexOf(key);
    if (gate === undefined) return undefined;
    const hosts = graph.nodes[gate]?.hosts;
    const at = graph.at(gate, hosts?.size === 1 ? (hosts.names[0] ?? '') : graph.host(i));
    return at === undefined ? undefined : this.ledger.how(at);
  }
}
