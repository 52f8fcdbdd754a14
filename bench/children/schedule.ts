import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crashPoints } from '../../src/engine/crash.ts';
import { Execution } from '../../src/engine/execution.ts';
import { Journal } from '../../src/engine/journal.ts';
import type { ExecuteOptions, JournalWriter } from '../../src/engine/options.ts';
import type { Facts } from '../../src/model/facts.ts';
import { type Machine, output } from '../../src/model/host.ts';
import { sh } from '../../src/model/script.ts';
import { on, sequence } from '../../src/plan/combinators.ts';
import { buildGraph, type ExecutionGraph } from '../../src/plan/graph.ts';
import { defineStep, satisfied } from '../../src/plan/step.ts';
import { answer, arg, peakMb } from './child.ts';

/** Asks and judges, and is always content. */
const empty = defineStep<{ readonly path: string }>()({
  kind: 'empty',
  description: 'A step with nothing to do.',
  title: (want) => `nothing at ${want.path}`,
  probe: (want) => sh`test -e ${want.path}`,
  judge: (seen) => (seen.code === 0 ? satisfied() : satisfied()),
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

async function run(graph: ExecutionGraph, journal: JournalWriter): Promise<number> {
  let finished = 0;
  const options: ExecuteOptions = {
    run: 'bench',
    graph,
    machines: new Map(graph.hosts.map((name) => [name, machine(name)])),
    unreachable: new Map(),
    emit: (event) => {
      if (event.type === 'node-finished') finished++;
    },
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
  };
  const result = await new Execution(options).run();
  if (result.counts.satisfied !== graph.size) throw new Error(`only ${result.counts.satisfied} of ${graph.size} settled`);
  return finished;
}

/** Schedules a graph of empty steps once: without a journal, or with a real one. */
const graph = graphOf(Number(arg('hosts')), Number(arg('steps')));
const dir = arg('journal');
const place = dir === '' ? undefined : mkdtempSync(join(dir, 'journal-'));
try {
  const started = performance.now();
  let lines = 0;
  if (place === undefined) {
    await run(graph, { append: () => undefined, durable: () => Promise.resolve() });
  } else {
    const file = join(place, 'journal.jsonl');
    const header = { run: 'bench', pipeline: 'bench', cluster: 'bench', kubexm: '0', configHash: '', planHash: graph.hash };
    const journal = Journal.create(
      file,
      { version: 1, startedAt: new Date().toISOString(), ...header },
      crashPoints(undefined),
    );
    await run(graph, journal);
    await journal.durable({ node: 'run', phase: 'ended', outcome: 'succeeded' });
    await journal.close();
    lines = statSync(file).size;
  }
  const microseconds = (performance.now() - started) * 1000;
  answer({ microsecondsPerNode: microseconds / graph.size, journalBytes: lines, peakMb: peakMb() });
} finally {
  if (place !== undefined) rmSync(place, { recursive: true, force: true });
}
