import { setTimeout as delay } from 'node:timers/promises';
import type { RunHeader } from '../../src/engine/journal.ts';
import type { ExecuteOptions, ExecuteResult, JournalWriter, NewEvent } from '../../src/engine/options.ts';
import type { JournalRecord } from '../../src/engine/record.ts';
import { type Replay, replayOf } from '../../src/engine/replay.ts';
import { runGraph } from '../../src/engine/run-graph.ts';
import type { Outcome } from '../../src/model/event.ts';
import { LOCAL, type Machine } from '../../src/model/host.ts';
import { rawScript, sh } from '../../src/model/script.ts';
import { mapNodes } from '../../src/plan/combinators.ts';
import { buildGraph, type ExecutionGraph } from '../../src/plan/graph.ts';
import type { ExecutionFragment } from '../../src/plan/node.ts';
import { defineStep, needed, type StepDefinition, satisfied } from '../../src/plan/step.ts';
import { MemoryHost, type MemoryHostOptions, MemoryMachine, type MemoryMachineOptions } from './memory/memory.ts';

/** A host's name as combinators take it. */
export const host = (name: string) => ({ name });

/** The machine kubexm runs on. */
export const local = host(LOCAL);

/** A key that should have a value; `also` is shell that `apply` runs besides. */
export interface Kv {
  readonly key: string;
  readonly value: string;
  readonly also?: string;
}

/** What the plain kv step is: tests spread it and change what they are about. */
export const kvDefinition: StepDefinition<Kv, string | undefined, string> = {
  kind: 'kv',
  description: 'a key with a value',
  title: (want) => `kv ${want.key}`,
  probe: (want) => sh`kv get ${want.key}`,
  judge: (seen, want) => {
    const now = seen.code === 0 ? seen.stdout.trimEnd() : undefined;
    if (now === want.value) return satisfied(now);
    return needed(now, [{ what: want.key, ...(now === undefined ? {} : { from: now }), to: want.value }]);
  },
  apply: (_host, want) => {
    const set = sh`kv set ${want.key} ${want.value}`;
    return want.also === undefined ? set : rawScript(`${set.script}\n${want.also}`);
  },
  saves: (want) => [want.key],
  example: { key: 'a', value: '1' },
};

/** Sets a key. */
export const kv = defineStep<Kv>()(kvDefinition);

/** A kv step with something changed about it. */
export const kvLike = (change: Partial<StepDefinition<Kv, string | undefined, string>>) =>
  defineStep<Kv>()({ ...kvDefinition, ...change });

/** Puts nodes into a task, as `defineTask` and `defineModule` do. */
export function task(id: string, fragment: ExecutionFragment, compensate?: ExecutionFragment): ExecutionFragment {
  const undo = compensate && mapNodes(compensate, (node) => ({ ...node, id: `${id}/undo/${node.id}` }));
  const info = { id, module: id.split('/')[0] ?? '', ...(undo ? { compensate: undo } : {}) };
  return mapNodes(fragment, (node) => ({ ...node, id: `${id}/${node.id}`, task: info }));
}

/** A step that is started, held and let go by the test. */
export class Manual {
  /** In the order of starting, as `name`. */
  readonly started: string[] = [];
  private readonly waiting = new Map<string, { go: () => void; fail: (error: Error) => void }[]>();

  /** A use of it. Under its name it can be let go. */
  readonly use = defineStep<{ readonly name: string; readonly weight?: number }>()({
    kind: 'manual',
    description: 'held until the test lets it go',
    title: (want) => want.name,
    nature: 'action',
    estimateSeconds: (want) => want.weight ?? 1,
    timeoutSeconds: 600,
    apply: async (at, want): Promise<string> => {
      const name = `${want.name}@${at.name}`;
      this.started.push(name);
      await new Promise<void>((resolve, reject) => {
        const list = this.waiting.get(name) ?? [];
        this.waiting.set(name, [...list, { go: resolve, fail: reject }]);
      });
      return name;
    },
    example: { name: 'x' },
  });

  /** Those that have started and were not let go. */
  get held(): readonly string[] {
    return [...this.waiting.keys()];
  }

  /** Waits until so many are held, or these. */
  async until(what: number | readonly string[]): Promise<void> {
    const there = () =>
      typeof what === 'number' ? this.waiting.size >= what : what.every((name) => this.waiting.has(name));
    await eventually(there).catch(() => {
      throw new Error(`waited for ${String(what)}, held are: ${this.held.join(', ')}`);
    });
  }

  go(name: string): void {
    for (const one of this.take(name)) one.go();
  }

  fail(name: string, error = new Error('made to fail')): void {
    for (const one of this.take(name)) one.fail(error);
  }

  /** Lets everything go, in an order of the seed, until the run is over. */
  async shuffle(random: () => number, run: Promise<unknown>): Promise<void> {
    let over = false;
    const end = run.finally(() => {
      over = true;
    });
    while (!over) {
      const { held } = this;
      const pick = held[Math.floor(random() * held.length)];
      if (pick !== undefined) this.go(pick);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await end;
  }

  private take(name: string): readonly { go: () => void; fail: (error: Error) => void }[] {
    const list = this.waiting.get(name);
    if (!list) throw new Error(`${name} is not held; held are: ${this.held.join(', ')}`);
    this.waiting.delete(name);
    return list;
  }
}

/** A journal that is only a list. */
export class ListJournal implements JournalWriter {
  readonly records: JournalRecord[] = [];

  append(record: JournalRecord): void {
    this.records.push(JSON.parse(JSON.stringify(record)) as JournalRecord);
  }

  async durable(record: JournalRecord): Promise<void> {
    this.append(record);
  }

  /** What a process that is started now would read. */
  replay(): Replay {
    return replayOf(header, this.records);
  }

  /** A node's phases. */
  phases(node: string): readonly string[] {
    return this.records.filter((record) => record.node === node).map((record) => record.phase);
  }
}

/** A header that says nothing. */
export const header: RunHeader = {
  version: 1,
  run: 'r1',
  pipeline: 'test',
  cluster: 'c',
  startedAt: '2025-01-01T00:00:00.000Z',
  kubexm: '0',
  configHash: '',
  planHash: '',
};

/** Machines in memory, a journal in a list, events in another, and a way to run plans over them. */
export class Rig {
  readonly hosts = new Map<string, MemoryHost>();
  readonly machines = new Map<string, MemoryMachine>();
  events: NewEvent[] = [];
  journal = new ListJournal();
  readonly drain = new AbortController();
  readonly stop = new AbortController();
  readonly redacted: string[] = [];

  constructor(names: readonly string[], options: MemoryHostOptions & MemoryMachineOptions = {}) {
    for (const name of [LOCAL, ...names]) {
      const made = new MemoryHost(name, options);
      this.hosts.set(name, made);
      this.machines.set(name, new MemoryMachine(made, options));
    }
  }

  host(name: string): MemoryHost {
    const found = this.hosts.get(name);
    if (!found) throw new Error(`no host ${name}`);
    return found;
  }

  machine(name: string): MemoryMachine {
    const found = this.machines.get(name);
    if (!found) throw new Error(`no machine ${name}`);
    return found;
  }

  /** As if kubexm had died: new connections to the same hosts, and the journal is all that is known. */
  died(): Replay {
    for (const [name, made] of this.hosts) this.machines.set(name, new MemoryMachine(made));
    this.events = [];
    return this.journal.replay();
  }

  options(plan: ExecutionFragment | ExecutionGraph, more: Partial<ExecuteOptions> = {}): ExecuteOptions {
    return {
      run: header.run,
      graph: 'edges' in plan ? plan : buildGraph(plan),
      machines: this.machines as ReadonlyMap<string, Machine>,
      unreachable: new Map(),
      emit: (event) => this.events.push(event),
      journal: this.journal,
      replay: undefined,
      dryRun: false,
      onFailure: 'rollback',
      selection: undefined,
      limits: { total: 100, perHost: 8 },
      drain: this.drain.signal,
      stop: this.stop.signal,
      ask: async () => 'yes',
      redact: (secret) => this.redacted.push(secret),
      secret: () => undefined,
      ...more,
    };
  }

  async run(
    plan: ExecutionFragment | ExecutionGraph,
    more: Partial<ExecuteOptions> & { readonly finalizers?: ExecutionFragment } = {},
  ): Promise<ExecuteResult> {
    const { finalizers, ...rest } = more;
    return await runGraph({ ...this.options(plan, rest), finalizers: finalizers && buildGraph(finalizers) });
  }

  /** How nodes ended, by id: the last word on each. */
  outcomes(): Readonly<Record<string, Outcome>> {
    return Object.fromEntries(
      this.events.flatMap((event) => (event.type === 'node-finished' ? [[event.node, event.outcome]] : [])),
    );
  }

  /** All events of a type. */
  of<T extends NewEvent['type']>(type: T): readonly Extract<NewEvent, { type: T }>[] {
    return this.events.filter((event): event is Extract<NewEvent, { type: T }> => event.type === type);
  }
}

/** Waits until something is so, however busy the machine is. */
export async function eventually(isSo: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 20_000; !isSo(); ) {
    if (Date.now() > deadline) throw new Error(`never came true: ${isSo}`);
    await delay(1);
  }
}

/** The codes of what went wrong, with the node. */
export function causes(result: ExecuteResult): readonly string[] {
  return result.failures.map(({ node, error }) => `${error.code} ${node}`);
}

/** Numbers between 0 and 1 from a seed, always the same. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
