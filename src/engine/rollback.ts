import { setTimeout as delay } from 'node:timers/promises';
import { LOCAL } from '../model/host.ts';
import type { Json } from '../model/json.ts';
import { sh } from '../model/script.ts';
import { mapNodes } from '../plan/combinators.ts';
import { buildGraph } from '../plan/graph.ts';
import { HostSet } from '../plan/host-set.ts';
import type { ExecutionFragment } from '../plan/node.ts';
import { fieldOf } from '../plan/step.ts';
import { hostKey, perform } from './apply.ts';
import { Execution } from './execution.ts';
import { natureOf } from './values.ts';

/** Undoes a failed task on one host, last change first; other hosts keep their work. */
export class Rollback {
  private readonly execution: Execution;
  private readonly failing = new Set<string>();
  private readonly active = new Map<string, Set<number>>();
  private readonly changed = new Map<string, number[]>();

  constructor(execution: Execution) {
    this.execution = execution;
    const { replay, graph } = execution.options;
    if (!replay) return;
    const byId = new Map<string, number>();
    for (let i = 0; i < graph.size; i++) if (replay.applied.has(graph.id(i))) byId.set(graph.id(i), i);
    for (const id of replay.applied.keys()) {
      const i = byId.get(id);
      if (i !== undefined) this.changedBy(this.scope(i)).push(i);
    }
  }

  /** The task of this node has failed on this host: nothing more of it starts there. */
  isFailing(i: number): boolean {
    return this.failing.size > 0 && this.failing.has(this.scope(i));
  }

  starts(i: number): void {
    const scope = this.scope(i);
    const active = this.active.get(scope) ?? new Set();
    this.active.set(scope, active.add(i));
    const changed = this.changedBy(scope);
    if (natureOf(this.execution.options.graph, i) === 'state' && !changed.includes(i)) changed.push(i);
  }

  ends(i: number): void {
    this.active.get(this.scope(i))?.delete(i);
  }

  /** Rolls the node's task back on its host, or leaves it as it is under `--on-failure keep`; then calls back. */
  begin(i: number, then: () => void): void {
    const { options } = this.execution;
    const scope = this.scope(i);
    const first = !this.failing.has(scope);
    if (options.graph.node(i).task) this.failing.add(scope);
    if (options.onFailure === 'keep' || options.dryRun || !first) {
      then();
      return;
    }
    void this.undo(i, scope).finally(then);
  }

  private async undo(failed: number, scope: string): Promise<void> {
    const { options } = this.execution;
    const { graph } = options;
    const others = () => [...(this.active.get(scope) ?? [])].some((i) => i !== failed);
    while (others()) await delay(20);
    const nodes = (this.changed.get(scope) ?? []).toReversed();
    const task = graph.node(failed).task;
    if (nodes.length === 0 && !task?.compensate) return;
    const host = graph.host(failed);
    options.emit({ type: 'rollback-started', task: task?.id ?? '', host, nodes: nodes.map((i) => graph.id(i)) });
    if (task?.compensate) await this.compensate(task.compensate, host, nodes, failed);
    else for (const i of nodes) await this.revert(i, failed);
  }

  private async revert(i: number, failed: number): Promise<void> {
    const { options, values } = this.execution;
    const { graph } = options;
    const step = graph.use(i)?.step;
    const machine = options.machines.get(graph.host(i));
    const node = graph.id(i);
    if (!step || !machine || (!step.revert && !step.saves)) return;
    const want = values.forCheck(i);
    if (fieldOf(step.irreversible, want, undefined) !== undefined) return;
    const started = performance.now();
    try {
      await options.journal.durable({ node, phase: 'reverting' });
      const work = step.revert
        ? step.revert(machine, want, this.before(i))
        : sh`kx_restore ${hostKey(options.run, node)}`;
      const { output } = await perform(options, { ref: this.execution.ref(i), step, want, machine }, work, undefined);
      if (output && output.code !== 0) throw new Error(output.stderr.trim() || `exit code ${output.code}`);
      await options.journal.durable({ node, phase: 'reverted' });
      if (i !== failed) this.undone(i, 'reverted', performance.now() - started);
    } catch (error) {
      options.journal.append({ node, phase: 'dirty' });
      this.execution.reportDirty(i, error);
      this.undone(i, 'dirty', performance.now() - started);
    }
  }

  private undone(i: number, outcome: 'reverted' | 'dirty', durationMs: number): void {
    this.execution.ledger.recount(i, outcome);
    this.execution.options.emit({ type: 'node-finished', ...this.execution.ref(i), outcome, durationMs });
  }

  /** The task's own undoing, on this host and the local machine only. */
  private async compensate(
    fragment: ExecutionFragment,
    host: string,
    nodes: readonly number[],
    failed: number,
  ): Promise<void> {
    const { options } = this.execution;
    const graph = buildGraph(onlyOn(fragment, [host, LOCAL]));
    const inner = new Execution({ ...options, graph, onFailure: 'keep', replay: undefined, selection: undefined });
    const result = await inner.run();
    for (const i of nodes) {
      const good = result.outcome === 'succeeded';
      options.journal.append({ node: options.graph.id(i), phase: good ? 'reverted' : 'dirty' });
      if (i !== failed) this.undone(i, good ? 'reverted' : 'dirty', 0);
    }
    for (const failure of result.failures) this.execution.reportDirty(failed, new Error(`${failure.node} failed`));
  }

  /** What the step saw before it changed anything: from this process, or from the journal of an earlier one. */
  private before(i: number): unknown {
    return (
      this.seen.get(i) ??
      (this.execution.options.replay?.applied.get(this.execution.options.graph.id(i))?.before as Json)
    );
  }

  private readonly seen = new Map<number, unknown>();

  /** Keeps what a step's custom revert will need. */
  remember(i: number, seen: unknown): void {
    if (!this.seen.has(i)) this.seen.set(i, seen);
  }

  private changedBy(scope: string): number[] {
    const list = this.changed.get(scope) ?? [];
    this.changed.set(scope, list);
    return list;
  }

  private scope(i: number): string {
    const { graph } = this.execution.options;
    return `${graph.node(i).task?.id ?? graph.id(i)}@${graph.host(i)}`;
  }
}

function onlyOn(fragment: ExecutionFragment, hosts: readonly string[]): ExecutionFragment {
  const keep = HostSet.of(hosts);
  const narrowed = mapNodes(fragment, (node) => {
    const body =
      node.body.type === 'steps'
        ? { ...node.body, uses: node.body.uses.filter((_, k) => keep.has(node.hosts.names[k] ?? '')) }
        : node.body;
    return { ...node, body, hosts: HostSet.of(node.hosts.names.filter((name) => keep.has(name))) };
  });
  const nodes = new Map([...narrowed.nodes].filter(([, node]) => node.hosts.size > 0));
  const links = narrowed.links.flatMap((link) => {
    if (!nodes.has(link.from) || !nodes.has(link.to)) return [];
    const on = HostSet.of(link.on.names.filter((name) => keep.has(name)));
    return on.size === 0 ? [] : [{ ...link, on }];
  });
  return { ...narrowed, nodes, links };
}
