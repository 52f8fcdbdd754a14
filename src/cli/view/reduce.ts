import { LOCAL, type NodeRef, type Outcome, type PlannedBuilds, type RunEvent } from '../../index.ts';
import type { BuildsState, RunningStep, StepProgress, TaskState, ViewState } from './state.ts';

/** The state after an event. */
export function reduce(state: ViewState, event: RunEvent): ViewState {
  return reduceAll(state, [event]);
}

/** The state after many events: everything is copied once, however many there are. */
export function reduceAll(state: ViewState, events: readonly RunEvent[]): ViewState {
  if (events.length === 0) return state;
  const draft = new Draft(state);
  for (const event of events) draft.take(event);
  return draft.state();
}

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type DraftTask = Mutable<Omit<TaskState, 'hosts'>> & { hosts: Set<string> };

/** A copy that may be changed until it is handed out. */
class Draft {
  private readonly next: Mutable<ViewState>;
  private readonly counts: Partial<Record<Outcome, number>>;
  private readonly tasks: Map<string, TaskState>;
  private readonly running: Map<string, RunningStep>;
  private readonly owned = new Map<string, DraftTask>();

  constructor(state: ViewState) {
    this.counts = { ...state.counts };
    this.tasks = new Map(state.tasks);
    this.running = new Map(state.running);
    this.next = { ...state, counts: this.counts, tasks: this.tasks, running: this.running };
  }

  state(): ViewState {
    return this.next;
  }

  take(event: RunEvent): void {
    const { next } = this;
    switch (event.type) {
      case 'run-started':
        next.pipeline = event.pipeline;
        next.cluster = event.cluster;
        next.run = event.run;
        next.dryRun = event.dryRun;
        next.resumed = event.resumed;
        next.estimateSeconds = event.estimateSeconds;
        next.hosts = event.hosts.length;
        next.nodes = event.nodes;
        if (event.builds && !event.dryRun) next.builds = plannedBuilds(event.builds, event.at);
        break;
      case 'build-progress':
        this.build(event);
        break;
      case 'finalizers-started':
        next.finalizing = true;
        next.nodes += event.nodes;
        break;
      case 'host-lost':
        next.lostHosts += 1;
        next.failures = [...next.failures, { node: '', host: event.host, error: event.error }];
        break;
      case 'node-started':
        this.start(event);
        break;
      case 'node-attached':
        if (!this.running.has(event.node)) this.start(event);
        break;
      case 'node-progress':
        this.patch(event.node, { progress: progressOf(event, this.running.get(event.node)?.progress) });
        break;
      case 'node-line':
        this.patch(event.node, { line: event.line });
        break;
      case 'node-retry': {
        const at = event.at + event.delaySeconds * 1000;
        this.patch(event.node, { attempt: { number: event.attempt, at, reason: event.reason } });
        break;
      }
      case 'node-finished':
        this.finish(event);
        break;
      case 'rollback-started':
        if (event.task !== '') {
          const task = this.task(event.task, event.at);
          task.rollingBack = [...task.rollingBack, event.host];
        }
        break;
      case 'task-finished':
        this.task(event.task, event.at).ended = { outcome: event.outcome, durationMs: event.durationMs };
        break;
      case 'run-finished':
        next.ended = event;
        break;
    }
  }

  /** What builds turn out to take, the run takes. */
  private build({ at, programs, built, share, leftSeconds }: Of<'build-progress'>): void {
    const { next } = this;
    const before = next.builds === undefined ? 0 : next.builds.at / 1000 + next.builds.leftSeconds;
    if (before > 0) next.estimateSeconds += at / 1000 + leftSeconds - before;
    next.builds = { at, programs, built, share, leftSeconds };
  }

  private start(event: NodeRef & { readonly at: number }): void {
    const { node, host, step, title, at } = event;
    const id = taskOf(event);
    const known = this.running.get(node);
    this.running.set(node, { node, host, task: id, step, title, since: at });
    const task = this.task(id, at);
    if (host !== LOCAL) task.hosts.add(host);
    if (!known) task.running += 1;
  }

  private patch(node: string, more: Partial<RunningStep>): void {
    const step = this.running.get(node);
    if (step) this.running.set(node, { ...step, ...more });
  }

  private finish(event: Of<'node-finished'>): void {
    const { next, counts } = this;
    const { outcome, node, host } = event;
    const task = this.task(taskOf(event), event.at);
    if (host !== LOCAL) task.hosts.add(host);
    if (this.running.delete(node)) task.running -= 1;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    if (outcome === 'reverted' || outcome === 'dirty') {
      const before = next.failures.some((one) => one.node === node) ? 'failed' : 'changed';
      if ((counts[before] ?? 0) > 0) counts[before] = (counts[before] ?? 0) - 1;
    } else {
      next.done += 1;
      task.done += 1;
      if (outcome === 'changed' || outcome === 'would-change') task.changed += 1;
    }
    if (outcome === 'failed') task.failedHosts += 1;
    if (outcome === 'failed' && event.error && !next.failures.some((one) => one.host === host && one.node === '')) {
      next.failures = [...next.failures, { node, host, error: event.error }];
    }
  }

  private task(id: string, at: number): DraftTask {
    const mine = this.owned.get(id);
    if (mine) return mine;
    const known = this.tasks.get(id);
    const task: DraftTask = known
      ? { ...known, hosts: new Set(known.hosts) }
      : { id, since: at, hosts: new Set(), done: 0, changed: 0, running: 0, failedHosts: 0, rollingBack: [] };
    this.owned.set(id, task);
    this.tasks.set(id, task);
    return task;
  }
}

function plannedBuilds({ programs, seconds }: PlannedBuilds, at: number): BuildsState {
  return { at, programs, built: 0, share: 0, leftSeconds: seconds };
}

function taskOf(node: NodeRef): string {
  return node.task || node.module || node.node.replace(/\/?[^/]*@.*$/, '') || node.step;
}

/** If the counter starts over, with another file or unit, so does the rate. */
function progressOf(
  { done, total, unit, at }: Extract<RunEvent, { type: 'node-progress' }>,
  before: StepProgress | undefined,
): StepProgress {
  const same = before !== undefined && before.unit === unit && done >= before.done;
  return { done, total, ...(unit === undefined ? {} : { unit }), first: same ? before.first : { done, at } };
}
