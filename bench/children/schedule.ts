import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { crashPoints } from '../../src/engine/crash.ts';
import { Execution } from '../../src/engine/execution.ts';
import { Journal } from '../../src/engine/journal.ts';
import type { ExecuteOptions, JournalWriter, NewEvent } from '../../src/engine/options.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { Facts } from '../../src/model/facts.ts';
import { type Machine, output } from '../../src/model/host.ts';
import { sh } from '../../src/model/script.ts';
import { type FanOut, fanOut, openEventStore, openJsonLog, Redactor, type Sink } from '../../src/observe/index.ts';
import { on, sequence } from '../../src/plan/combinators.ts';
import { buildGraph, type ExecutionGraph } from '../../src/plan/graph.ts';
import { defineStep, needed, satisfied } from '../../src/plan/step.ts';
import { answer, arg, peakMb } from './child.ts';

/** Asks and judges, and is always content. */
const empty = defineStep<{ readonly path: string }>()({
  kind: 'empty',
  description: 'A step with nothing to do.',
  title: (want) => `nothing at ${want.path}`,
  probe: (want) => sh`test -e ${want.path}`,
  judge: (seen, want) => (seen.code === 0 ? satisfied() : needed(undefined, [{ what: want.path }])),
  apply: () => sh`:`,
  example: { path: '/tmp/x' },
});

/** A machine that answers every question at once, with success. */
function machine(name: string): Machine {
  const yes = output(0);
  const refuse = () => Promise.reject(new Error('this machine is only asked'));
  return {
    name,
    facts: {} as Facts,
    batch: (probes) => Promise.resolve(probes.map(() => yes)),
    run: refuse,
    write: refuse,
    put: refuse,
    get: refuse,
    job: refuse,
    forgetJob: refuse,
    lock: refuse,
    unlock: refuse,
    close: refuse,
  };
}

function graphOf(hosts: number, steps: number): ExecutionGraph {
  const all = Array.from({ length: hosts }, (_, i) => ({ name: `node${i + 1}` }));
  const one = (i: number) => ({ ...empty({ path: `/etc/step-${i}` }), name: `step-${i}` });
  return buildGraph(sequence(...Array.from({ length: steps }, (_, i) => on(all, one(i)))));
}

async function run(graph: ExecutionGraph, journal: JournalWriter, emit: ExecuteOptions['emit']): Promise<void> {
  const options: ExecuteOptions = {
    run: 'bench',
    graph,
    machines: new Map(graph.hosts.map((name) => [name, machine(name)])),
    unreachable: new Map(),
    emit,
    journal,
    replay: undefined,
    dryRun: false,
    onFailure: 'rollback',
    selection: undefined,
    limits: { total: 256, perHost: 4 },
    drain: new AbortController().signal,
    stop: new AbortController().signal,
    ask: () => Promise.reject(new Error('nobody is there')),
    redact: () => undefined,
    secret: () => undefined,
  };
  const { counts } = await new Execution(options).run();
  if (counts.satisfied !== graph.size) throw new Error(`${counts.satisfied} of ${graph.size} are satisfied`);
}

function openJournal(dir: string, planHash: string): Journal {
  const names = { run: 'bench', pipeline: 'bench', cluster: 'bench', kubexm: '0', configHash: '' };
  const header = { version: 1, startedAt: new Date().toISOString(), ...names, planHash } as const;
  return Journal.create(join(dir, 'journal.jsonl'), header, crashPoints(undefined));
}

/** What a run writes to beside its journal. Trouble of theirs is an error here: what is dropped costs nothing. */
async function openSinks(dir: string): Promise<FanOut> {
  const strict: Sink = {
    name: 'bench',
    write: (event) => {
      if (event.type === 'warning') throw new Error(`events were lost: ${event.error.code}`);
    },
  };
  return fanOut(new Redactor(), [
    await openJsonLog(join(dir, 'log.jsonl')),
    openEventStore(join(dir, 'events.db')),
    strict,
  ]);
}

async function measure(graph: ExecutionGraph, dir: string): Promise<void> {
  const what = arg('with');
  if (what === 'nothing')
    return run(graph, { append: () => undefined, durable: async () => undefined }, () => undefined);
  const journal = openJournal(dir, graph.hash);
  const sinks = what === 'sinks' ? await openSinks(dir) : undefined;
  const emit = (event: NewEvent) => sinks?.({ ...event, at: Date.now(), run: 'bench' } as RunEvent);
  await run(graph, journal, emit);
  await journal.durable({ node: 'run', phase: 'ended', outcome: 'succeeded' });
  await journal.close();
  await sinks?.close();
}

/** Schedules a graph of empty steps once: alone, with a real journal, or with all that a run writes. */
const graph = graphOf(Number(arg('hosts')), Number(arg('steps')));
const dir = mkdtempSync(join(arg('dir'), 'run-'));
try {
  const started = performance.now();
  await measure(graph, dir);
  const microseconds = (performance.now() - started) * 1000;
  answer({ microsecondsPerNode: microseconds / graph.size, peakMb: peakMb() });
} finally {
  rmSync(dir, { recursive: true, force: true });
}
