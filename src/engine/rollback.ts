import { LOCAL } from '../model/host.ts';
import { type Script, sh } from '../model/script.ts';
import { MASK } from '../model/text/mask.ts';
import { buildGraph } from '../plan/graph.ts';
import type { ExecutionFragment } from '../plan/node.ts';
import { fieldOf, type Verdict } from '../plan/step.ts';
import { savesOf } from './before-image.ts';
import { asEventError, isCode, isLost, NO_JOURNAL, reasonOf } from './errors.ts';
import type { Execution } from './execution.ts';
import { hostKey } from './keys.ts';
import { forgetting } from './manifest.ts';
import { onlyOn } from './only-on.ts';
import { isScript, performRevert } from './perform.ts';
import { type Found, isUntouched } from './untouched.ts';
import { MissingValue, natureOf } from './values.ts';

/** A task on a host: what of it is running, and what of it would have to be undone. */
interface Scope {
  readonly active: Set<number>;
  /** Nodes that changed something in this run and were met by this process, in the order of meeting. */
  readonly changed: Set<number>;
  /** Nodes that an earlier process of this run changed. Those not met again come after all that were. */
  readonly earlier: Set<number>;
  /** Something of it was begun, be it an action. */
  begun: boolean;
  failing: boolean;
  whenIdle: (() => void) | undefined;
}

/** Undoes a failed task on one host, last change first; other hosts and other tasks keep their work. */
export class Rollback {
  private readonly execution: Execution;
  private readonly scopes = new Map<number, Scope>();
  /** For each node of the plan the number of its task; a node without one is on its own. */
  private readonly taskOf: Int32Array;
  private readonly found = new Map<number, Found>();
  private anyFailing = false;

  constructor(execution: Execution) {
    this.execution = execution;
    const { replay, graph } = execution.options;
    const tasks = new Map<string, number>();
    this.taskOf = Int32Array.from(graph.nodes, ({ task }) => {
      if (!task) return -1;
      const number = tasks.get(task.id) ?? tasks.size;
      tasks.set(task.id, number);
      return number;
    });
    if (!replay) return;
    const byId = new Map<string, number>();
    for (let i = 0; i < graph.size; i++) if (replay.applied.has(graph.id(i))) byId.set(graph.id(i), i);
    for (const id of replay.applied.keys()) {
      const i = byId.get(id);
      if (i !== undefined && !this.stays(i)) this.scope(i).earlier.add(i);
    }
  }

  /** What the node got is a cache: there is nothing to undo. */
  private stays(i: number): boolean {
    return this.execution.options.graph.use(i)?.step.caches === true;
  }

  /** The task of this node has failed on this host: nothing more of it starts there. */
  isFailing(i: number): boolean {
    return this.anyFailing && this.scopes.get(this.keyOf(i))?.failing === true;
  }

  starts(i: number): void {
    if (this.keyOf(i) >= 0) this.scope(i).active.add(i);
  }

  ends(i: number): void {
    const scope = this.scopes.get(this.keyOf(i));
    if (!scope) return;
    scope.active.delete(i);
    if (scope.active.size > 0) return;
    const { whenIdle } = scope;
    scope.whenIdle = undefined;
    whenIdle?.();
  }

  /** The machine is about to be changed by this node; what was found before the first try is what it goes back to. */
  begins(i: number, found: Verdict<unknown, unknown> | undefined): void {
    const scope = this.scope(i);
    scope.begun = true;
    if (natureOf(this.execution.options.graph, i) !== 'state' || this.stays(i)) return;
    scope.changed.add(i);
    if (found?.verdict === 'needed' && !this.found.has(i)) this.found.set(i, { seen: found.seen, diff: found.diff });
  }

  /** The machine was not changed by this node after all. */
  spared(i: number): void {
    this.scope(i).changed.delete(i);
  }

  /** A node is as wanted. If an earlier process of this run made it so, it is undone with its task. */
  satisfied(i: number): void {
    const scope = this.execution.options.replay && this.scopes.get(this.keyOf(i));
    if (scope?.earlier.has(i)) scope.changed.add(i);
  }

  /** Rolls the node's task back on its host, or leaves it as it is under `--on-failure keep`; then calls back. */
  begin(failed: number, then: () => void): void {
    const { onFailure } = this.execution.options;
    const scope = this.scope(failed);
    const again = scope.failing;
    scope.failing = true;
    this.anyFailing = true;
    if (again || onFailure === 'keep') {
      then();
      return;
    }
    for (const i of [...scope.changed, ...scope.earlier]) if (this.canUndo(i)) this.execution.ledger.revoke(i);
    scope.active.delete(failed);
    const undo = () => void this.undo(failed, scope).then(then);
    if (scope.active.size === 0) undo();
    else scope.whenIdle = undo;
  }

  /** Never rejects. */
  private async undo(failed: number, scope: Scope): Promise<void> {
    const { options } = this.execution;
    const { graph } = options;
    const unmet = [...scope.earlier].filter((i) => !scope.changed.has(i));
    const nodes = [...scope.changed, ...unmet].toReversed();
    const task = graph.node(failed).task;
    const host = graph.host(failed);
    if ((nodes.length === 0 && !(task?.compensate && scope.begun)) || this.isOver(host)) return;
    options.emit({ type: 'rollback-started', task: task?.id ?? '', host, nodes: nodes.map((i) => graph.id(i)) });
    if (task?.compensate) {
      await this.compensate(task.compensate, host, nodes, failed);
      return;
    }
    for (const i of nodes) if (this.canUndo(i) && !this.isOver(host)) await this.revert(i, failed);
  }

  /** Nothing more can be undone: the host is gone, the person said to stop, or the journal cannot be written. */
  private isOver(host: string): boolean {
    return this.execution.isLost(host) || this.execution.options.stop.aborted || this.execution.halted;
  }

  private canUndo(i: number): boolean {
    const { options, values } = this.execution;
    const use = options.graph.use(i);
    if (!use || this.execution.ledger.isUndone(i)) return false;
    if (use.step.revert === undefined && use.step.saves === undefined) return false;
    try {
      return fieldOf(use.step.irreversible, values.forCheck(i), undefined) === undefined;
    } catch {
      // Its value is missing: the revert itself will say so.
      return true;
    }
  }

  /** What was put back is no before-image any more, nor owned: a later try keeps what it finds then. */
  private async forgetImage(i: number): Promise<void> {
    const { graph, machines } = this.execution.options;
    const script = forgetting(this.execution.options, graph.id(i), graph.host(i), graph.use(i)?.step);
    if (script) await machines.get(graph.host(i))?.run(script);
  }

  /** A job that an earlier process left running. One that cannot end well is over all the same. */
  private async jobOver(i: number): Promise<void> {
    const { options, oldJobs } = this.execution;
    const machine = options.machines.get(options.graph.host(i));
    try {
      if (machine) await oldJobs.over(i, machine);
    } catch (error) {
      if (isLost(error) || options.stop.aborted) throw error;
    }
  }

  private async revert(i: number, failed: number): Promise<void> {
    const { execution } = this;
    const { options } = execution;
    const node = options.graph.id(i);
    const started = performance.now();
    try {
      const work = this.workOf(i);
      if (!work) return;
      await this.jobOver(i);
      await options.journal.durable({ node, phase: 'reverting' });
      await work();
      await options.journal.durable({ node, phase: 'reverted' });
      await this.forgetImage(i).catch(() => undefined);
      this.reverted(i, failed, performance.now() - started);
    } catch (error) {
      if (options.stop.aborted) return;
      if (isLost(error)) execution.loseHost(options.graph.host(i), asEventError(error, node));
      else if (isCode(error, NO_JOURNAL)) execution.halt(i, error);
      else if (!(await this.isAsBefore(i, error)) && !this.isOver(options.graph.host(i))) {
        this.dirty(i, error, performance.now() - started);
      }
    }
  }

  /** Whether nothing was changed, so that there was nothing to put back: then that is noted. */
  private async isAsBefore(i: number, error: unknown): Promise<boolean> {
    const { options } = this.execution;
    const from = this.scope(i).earlier.has(i) ? 'earlier' : this.found.get(i);
    try {
      if (!from || !(await isUntouched(this.execution, i, from, error))) return false;
      await options.journal.durable({ node: options.graph.id(i), phase: 'reverted' });
      return true;
    } catch (problem) {
      if (isLost(problem)) this.execution.loseHost(options.graph.host(i), asEventError(problem, options.graph.id(i)));
      return false;
    }
  }

  /** What puts a node back: its own revert with what was seen, or its before-image. */
  private workOf(i: number): (() => Promise<void>) | undefined {
    const { execution } = this;
    const { options, values } = execution;
    const step = options.graph.use(i)?.step;
    const machine = options.machines.get(options.graph.host(i));
    if (!step || !machine) return undefined;
    const at = (want: unknown) => ({ ref: execution.ref(i), step, want, machine });
    const { revert } = step;
    if (!revert) {
      const script: Script = sh`kx_restore ${hostKey(options.run, options.graph.id(i))}`;
      const want = values.forCheck(i);
      return savesOf(step, want) && (() => performRevert(options, at(want), () => script));
    }
    const want = this.wantToUndo(i);
    return () => performRevert(options, at(want), () => knowing(revert(machine, want, this.before(i))));
  }

  /** With its secrets, as long as they are known: after a crash they are not minted again just to undo. */
  private wantToUndo(i: number): unknown {
    const { values } = this.execution;
    try {
      return values.forApply(i);
    } catch (error) {
      if (error instanceof MissingValue) return values.forCheck(i);
      throw error;
    }
  }

  /** What failed stays failed; only what had succeeded becomes `reverted`. */
  private reverted(i: number, failed: number, durationMs: number): void {
    if (i !== failed && this.execution.ledger.how(i) !== 'failed') this.undone(i, 'reverted', durationMs);
  }

  private undone(i: number, outcome: 'reverted' | 'dirty', durationMs: number): void {
    this.execution.ledger.recount(i, outcome);
    this.execution.options.emit({ type: 'node-finished', ...this.execution.ref(i), outcome, durationMs });
  }

  private dirty(i: number, error: unknown, durationMs: number): void {
    const { options } = this.execution;
    options.journal.append({ node: options.graph.id(i), phase: 'dirty' });
    this.execution.reportDirty(i, error);
    this.undone(i, 'dirty', durationMs);
  }

  /** The task's own undoing, on this host and the local machine only. */
  private async compensate(
    fragment: ExecutionFragment,
    host: string,
    nodes: readonly number[],
    failed: number,
  ): Promise<void> {
    const { execution } = this;
    const { graph, journal, stop } = execution.options;
    const started = performance.now();
    try {
      const undoing = buildGraph(onlyOn(fragment, [host, LOCAL]), { given: graph });
      await Promise.all(nodes.map((i) => journal.durable({ node: graph.id(i), phase: 'reverting' })));
      const { outcome, failures } = await execution.runInside(undoing);
      if (stop.aborted || execution.isLost(host)) return;
      const [first] = failures;
      if (first) throw new Error(`${first.node}: ${reasonOf(first.error.params['reason'] ?? first.error.code)}`);
      if (outcome !== 'succeeded') throw new Error('it was not carried out');
      for (const i of nodes) {
        await journal.durable({ node: graph.id(i), phase: 'reverted' });
        this.reverted(i, failed, performance.now() - started);
      }
    } catch (error) {
      if (isCode(error, NO_JOURNAL)) execution.halt(failed, error);
      else for (const i of nodes) this.dirty(i, error, performance.now() - started);
    }
  }

  /** What the step saw before this run changed anything: from the journal of an earlier process, or from this one. */
  private before(i: number): unknown {
    const { replay, graph } = this.execution.options;
    const earlier = replay?.applied.get(graph.id(i));
    // JSON has no `undefined`: an intent without it says that there was nothing.
    return earlier ? earlier.before : this.found.get(i)?.seen;
  }

  private scope(i: number): Scope {
    const key = this.keyOf(i);
    const known = this.scopes.get(key);
    if (known) return known;
    const scope: Scope = {
      active: new Set(),
      changed: new Set(),
      earlier: new Set(),
      begun: false,
      failing: false,
      whenIdle: undefined,
    };
    this.scopes.set(key, scope);
    return scope;
  }

  private keyOf(i: number): number {
    const { graph } = this.execution.options;
    const task = this.taskOf[graph.nodeOf[i] ?? 0] ?? -1;
    return task < 0 ? -1 - i : task * graph.hosts.length + (graph.hostOf[i] ?? 0);
  }
}

/** A revert that would have to know a secret is no good without it: better nothing than something with a mask in it. */
function knowing(work: Script | Promise<unknown>): Script | Promise<unknown> {
  if (isScript(work) && work.script.includes(MASK)) throw new Error('it needs a secret that is not known any more');
  return work;
}
