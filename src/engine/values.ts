import { createHash } from 'node:crypto';
import { refsOf } from '../plan/combinators.ts';
import type { ExecutionGraph } from '../plan/graph.ts';
import { fingerprintText, isRef, masked, type Ref, refsIn, resolveRefs } from '../plan/ref.ts';
import { fieldOf } from '../plan/step.ts';

/** A Ref whose value is not there: its producer was superseded, left out, or has not run in a dry run. */
export class MissingValue extends Error {
  readonly producer: string;

  constructor(producer: string) {
    super(`the value of ${producer} is not known`);
    this.name = 'MissingValue';
    this.producer = producer;
  }
}

/** The values nodes have produced in this run, and wants with those values put in. Minted ones live only here, in memory. */
export class Values {
  private readonly graph: ExecutionGraph;
  private readonly produced = new Map<number, unknown>();
  private readonly referenced: ReadonlySet<number>;
  private readonly withRefs: readonly boolean[];
  private readonly outer: Values | undefined;

  /** `outer`: the values of the graph that this one undoes a part of. All of that graph's values may be asked for. */
  constructor(graph: ExecutionGraph, outer?: Values) {
    this.graph = graph;
    this.outer = outer;
    const used = graph.nodes.flatMap((node) => refsOf(node).map(({ ref }) => graph.indexOf(ref.key)));
    const undone = new Set(graph.nodes.flatMap(({ task }) => task?.compensate ?? []));
    const undoing = [...undone].flatMap((fragment) => [...fragment.nodes.values()]);
    const usedToUndo = undoing.flatMap((node) => refsOf(node).map(({ ref }) => graph.indexOf(ref.key)));
    this.referenced = new Set([...used, ...usedToUndo].filter((i) => i !== undefined));
    this.withRefs = graph.nodes.map((node) => refsOf(node).length > 0);
  }

  /** Keeps a node's value if anyone will ask for it. */
  set(i: number, value: unknown): void {
    if (this.referenced.has(this.graph.nodeOf[i] ?? -1)) this.produced.set(i, value);
  }

  /** Whether the node's want depends on other nodes. */
  hasRefs(i: number): boolean {
    return this.withRefs[this.graph.nodeOf[i] ?? -1] ?? false;
  }

  /** The want for checking: values known so far put in, secrets masked. Throws MissingValue. */
  forCheck(i: number): unknown {
    return this.resolve(i, (ref) => (ref.secret ? masked(ref) : this.value(i, ref)));
  }

  /** The want for people: everything that comes from elsewhere masked, so that a dry run and a run show the same. */
  forShow(i: number): unknown {
    return this.resolve(i, masked);
  }

  /** The want with everything in it, once the secrets it needs were minted. */
  forApply(i: number): unknown {
    return this.resolve(i, (ref) => this.value(i, ref));
  }

  /** The want that `predict` gets: of the values of all hosts, those that are there. */
  forPrediction(i: number): unknown {
    return this.resolve(i, (ref) => this.valueFor(this.graph.host(i), ref, 'those there are'));
  }

  /** Nodes that must be minted before this one is applied. */
  mintsOf(i: number): readonly number[] {
    const use = this.graph.use(i);
    if (!use || !this.hasRefs(i)) return [];
    return refsIn(use.want)
      .filter((ref) => ref.secret)
      .flatMap((ref) => this.producers(this.graph.host(i), ref));
  }

  /** The fingerprint of a node's input: equal inputs, equal text; no secret in it. */
  fingerprint(i: number): string {
    const kind = this.graph.use(i)?.step.kind ?? '';
    return createHash('sha256')
      .update(`${kind}\n${fingerprintText(this.forCheck(i))}`)
      .digest('hex')
      .slice(0, 16);
  }

  private resolve(i: number, lookup: (ref: Ref<unknown>) => unknown): unknown {
    const want = this.graph.use(i)?.want;
    return this.hasRefs(i) ? resolveRefs(want, lookup) : want;
  }

  private value(i: number, ref: Ref<unknown>): unknown {
    return this.valueFor(this.graph.host(i), ref);
  }

  private valueFor(consumer: string, ref: Ref<unknown>, which: 'all' | 'those there are' = 'all'): unknown {
    if (this.outer && this.graph.indexOf(ref.key) === undefined) return this.outer.valueFor(consumer, ref, which);
    const some = ref.source.from === 'all' && which !== 'all';
    const producers = this.producers(consumer, ref).filter((producer) => !some || this.produced.has(producer));
    const values = producers.map((producer) => {
      if (!this.produced.has(producer)) throw new MissingValue(this.graph.id(producer));
      return this.produced.get(producer);
    });
    if (ref.source.from !== 'all') {
      if (producers.length === 0) throw new MissingValue(ref.key.name);
      return values[0];
    }
    return Object.fromEntries(producers.map((producer, k) => [this.graph.host(producer), values[k]]));
  }

  private producers(consumer: string, ref: Ref<unknown>): readonly number[] {
    const node = this.graph.indexOf(ref.key);
    const template = node === undefined ? undefined : this.graph.nodes[node];
    if (node === undefined || !template) return [];
    const { source } = ref;
    const hosts = source.from === 'all' ? template.hosts.names : [source.from === 'host' ? source.host : consumer];
    return hosts.flatMap((host) => this.graph.at(node, host) ?? []);
  }
}

/** What a step leaves behind, for its want. */
export function natureOf(graph: ExecutionGraph, i: number): 'state' | 'action' | 'mint' {
  const use = graph.use(i);
  if (!use) return 'action';
  return fieldOf(use.step.nature, isRef(use.want) ? {} : use.want, 'state');
}
