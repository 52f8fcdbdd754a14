import type { EventError } from '../model/event.ts';
import { LOCAL, type LockOwner, type Machine } from '../model/host.ts';
import { type Script, sh } from '../model/script.ts';
import type { ExecutionGraph } from '../plan/graph.ts';
import { asEventError, isLost } from './errors.ts';
import { Execution } from './execution.ts';
import type { ExecuteOptions, ExecuteResult } from './options.ts';
import { combine } from './outcome.ts';

/** A run: a graph, and what must happen in the end. */
export interface RunGraphOptions extends ExecuteOptions {
  readonly finalizers: ExecutionGraph | undefined;
}

/** Runs a graph, then its finalizers whatever happened, unless the person said to stop at once. */
export async function runGraph(options: RunGraphOptions): Promise<ExecuteResult> {
  const execution = new Execution(options);
  const result = await execution.run();
  const { finalizers, stop } = options;
  if (!finalizers || finalizers.size === 0 || stop.aborted) return result;
  options.emit({ type: 'finalizers-started', nodes: finalizers.size });
  options.journal.append({ node: 'run', phase: 'finalizers' });
  const known = execution.lost;
  const last = await new Execution({
    ...options,
    graph: finalizers,
    unreachable: new Map(known),
    // Hosts already lost have been reported.
    emit: (event) => {
      if (event.type !== 'host-lost' || !known.has(event.host)) options.emit(event);
    },
    drain: new AbortController().signal,
    onFailure: 'keep',
    selection: undefined,
  }).run();
  return combine(result, last);
}

/**
 * Takes the lock of every machine but the local one. Refused by one, all are given back. A host that is lost on the way is
 * no obstacle: it is returned with the reason.
 */
export async function lockMachines(
  machines: ReadonlyMap<string, Machine>,
  owner: LockOwner,
): Promise<ReadonlyMap<string, EventError>> {
  const remote = [...machines].filter(([name]) => name !== LOCAL);
  const results = await Promise.allSettled(remote.map(([, machine]) => machine.lock(owner)));
  const lost = new Map<string, EventError>();
  const refused: unknown[] = [];
  results.forEach((result, i) => {
    if (result.status === 'fulfilled') return;
    const name = remote[i]?.[0] ?? '';
    if (isLost(result.reason)) lost.set(name, asEventError(result.reason, name));
    else refused.push(result.reason);
  });
  if (refused.length === 0) return lost;
  const taken = remote.filter((_, i) => results[i]?.status === 'fulfilled');
  await Promise.allSettled(taken.map(([, machine]) => machine.unlock()));
  throw refused[0];
}

/** Gives the machines back. After success nothing of the run stays on them. */
export async function releaseMachines(
  machines: ReadonlyMap<string, Machine>,
  lost: readonly string[],
  run: string,
  succeeded: boolean,
): Promise<void> {
  const reachable = [...machines].filter(([name]) => !lost.includes(name));
  await Promise.allSettled(
    reachable.flatMap(([name, machine]) => [
      ...(succeeded ? [machine.run(forgetRun(run))] : []),
      ...(name === LOCAL ? [] : [machine.unlock()]),
    ]),
  );
}

/** Before-images, and records of jobs that ended just before kubexm was killed. */
function forgetRun(run: string): Script {
  return sh`kx_undo_drop ${run}
for kx_dir in "$KX_RUN"/jobs/${run}.*; do
  if [ -d "$kx_dir" ]; then kx_job_forget "\${kx_dir##*/}"; fi
done`;
}
