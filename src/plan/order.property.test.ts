import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { local, step } from '../../test/plans/fixtures.ts';
import { runs } from '../../test/rig/thorough.ts';
import { LOCAL } from '../model/host.ts';
import { join, on, parallel, sequence } from './combinators.ts';
import { buildGraph, type ExecutionGraph } from './graph.ts';
import { joinReached } from './join.ts';
import type { ExecutionFragment, JoinNeeds } from './node.ts';

type Tree =
  | { readonly type: 'step'; readonly hosts: readonly string[] }
  | { readonly type: 'join'; readonly needs: JoinNeeds }
  | { readonly type: 'sequence' | 'parallel'; readonly parts: readonly Tree[] };

/** A leaf with its place: the branches that lead to it, and whether each is of a sequence. */
interface Leaf {
  readonly name: string;
  readonly tree: Exclude<Tree, { readonly parts: readonly Tree[] }>;
  readonly place: readonly { readonly ordered: boolean; readonly branch: number }[];
}

interface Instance {
  readonly id: string;
  readonly host: string;
  readonly leaf: Leaf;
}

const HOSTS = ['h1', 'h2', 'h3'];

const leaf: fc.Arbitrary<Tree> = fc.oneof(
  { weight: 6, arbitrary: fc.subarray(HOSTS, { minLength: 1 }).map((hosts): Tree => ({ type: 'step', hosts })) },
  { weight: 2, arbitrary: fc.constant<Tree>({ type: 'step', hosts: [LOCAL] }) },
  { weight: 1, arbitrary: fc.subarray(HOSTS).map((hosts): Tree => ({ type: 'step', hosts: [...hosts, LOCAL] })) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<JoinNeeds>('all', 'quorum', 'present', 'settled')
      .map((needs): Tree => ({ type: 'join', needs })),
  },
);

const combined = (part: fc.Arbitrary<Tree>, minLength: number): fc.Arbitrary<Tree> =>
  fc.record({
    type: fc.constantFrom('sequence' as const, 'sequence' as const, 'parallel' as const),
    parts: fc.array(part, { minLength, maxLength: 4, size: 'max' }),
  });

const deeper = (part: fc.Arbitrary<Tree>): fc.Arbitrary<Tree> => fc.oneof(leaf, combined(part, 0));

const tree = combined(deeper(deeper(deeper(leaf))), 1);

function leavesOf(root: Tree): readonly Leaf[] {
  const found: Leaf[] = [];
  const walk = (node: Tree, place: Leaf['place']): void => {
    if ('parts' in node)
      node.parts.forEach((part, branch) => {
        walk(part, [...place, { ordered: node.type === 'sequence', branch }]);
      });
    else found.push({ name: `n${found.length}`, tree: node, place });
  };
  walk(root, []);
  return found;
}

/** The fragment a tree stands for. Leaves are numbered in reading order, as in `leavesOf`. */
function fragmentOf(root: Tree): ExecutionFragment {
  let count = 0;
  const make = (node: Tree): ExecutionFragment => {
    if ('parts' in node)
      return node.type === 'sequence' ? sequence(...node.parts.map(make)) : parallel(...node.parts.map(make));
    const name = `n${count++}`;
    if (node.type === 'join') return join(name, node.needs);
    const hosts = node.hosts.map((host) => (host === LOCAL ? local : { name: host }));
    return on(hosts, step(name));
  };
  return make(root);
}

/** Whether one leaf stands before another: where their ways part, it is a sequence. */
function precedes(a: Leaf, b: Leaf): boolean {
  const fork = a.place.findIndex((turn, i) => turn.branch !== b.place[i]?.branch);
  const turn = a.place[fork];
  return turn?.ordered === true && turn.branch < (b.place[fork]?.branch ?? -1);
}

const isWeak = (one: Leaf) => one.tree.type === 'join' && one.tree.needs !== 'all';

/**
 * What the combinators promise, straight from their words. `before`: comes first. `needed`: and must have succeeded.
 * In a sequence nodes meet on the same host, and the local machine meets all. Of hosts, a weak join needs only some; nobody
 * on the local machine behind it asks for the others again.
 */
function model(root: Tree) {
  const leaves = leavesOf(root);
  const instances = leaves.flatMap((one): Instance[] =>
    (one.tree.type === 'join' ? [LOCAL] : one.tree.hosts).map((host) => ({
      id: `${one.name}@${host}`,
      host,
      leaf: one,
    })),
  );
  const size = instances.length;
  const before = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const needed = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const weak = leaves.filter(isWeak);
  instances.forEach((x, i) => {
    instances.forEach((y, k) => {
      if (!precedes(x.leaf, y.leaf)) return;
      if (x.host !== y.host && x.host !== LOCAL && y.host !== LOCAL) return;
      before[i]![k] = true;
      const soft =
        x.host !== LOCAL &&
        y.host === LOCAL &&
        (isWeak(y.leaf) || weak.some((one) => precedes(x.leaf, one) && precedes(one, y.leaf)));
      needed[i]![k] = !soft;
    });
  });
  close(before);
  close(needed);
  return { ids: instances.map((one) => one.id), before, needed };
}

function close(relation: boolean[][]): void {
  for (let via = 0; via < relation.length; via++)
    for (const row of relation)
      if (row[via]) for (const [k, there] of relation[via]!.entries()) row[k] = there || row[k]!;
}

/** The same two relations, read off a built graph. */
function read(graph: ExecutionGraph) {
  const before = Array.from({ length: graph.size }, () => new Array<boolean>(graph.size).fill(false));
  const needed = Array.from({ length: graph.size }, () => new Array<boolean>(graph.size).fill(false));
  const { nextStart, next } = graph.edges;
  for (let i = 0; i < graph.size; i++) {
    for (const k of next.subarray(nextStart[i], nextStart[i + 1])) {
      const { body } = graph.node(k);
      before[i]![k] = true;
      needed[i]![k] = !(body.type === 'join' && body.needs !== 'all' && graph.host(i) !== LOCAL);
    }
  }
  close(before);
  close(needed);
  return { ids: Array.from({ length: graph.size }, (_, i) => graph.id(i)), before, needed };
}

function pairs({ ids, before, needed }: ReturnType<typeof model>) {
  const list = (relation: boolean[][]) =>
    relation.flatMap((row, i) => row.flatMap((there, k) => (there ? [`${ids[i]} < ${ids[k]}`] : []))).sort();
  return { ids: [...ids].sort(), before: list(before), needed: list(needed) };
}

function flat(node: Tree): Tree {
  if (!('parts' in node)) return node;
  const parts = node.parts
    .map(flat)
    .flatMap((part) => ('parts' in part && part.type === node.type ? part.parts : [part]));
  return parts.length === 1 && parts[0] ? parts[0] : { type: node.type, parts };
}

/** Wraps runs of a sequence's or parallel's parts in more of the same. */
function nest(node: Tree, cuts: readonly number[]): Tree {
  if (!('parts' in node)) return node;
  const parts = node.parts.map((part) => nest(part, cuts.slice(1)));
  const [from, to] = [(cuts[0] ?? 0) % (parts.length + 1), (cuts[1] ?? 0) % (parts.length + 1)].sort((a, b) => a - b);
  const inner: Tree = { type: node.type, parts: parts.slice(from, to) };
  return { type: node.type, parts: [...parts.slice(0, from), inner, ...parts.slice(to)] };
}

/** A node's end: it worked, it did not, its host was lost, or something before it was missing. */
type End = 'good' | 'failed' | 'lost' | 'blocked';

describe('the order of nested combinators', () => {
  it('is what the words say, for any nesting', () => {
    fc.assert(
      fc.property(tree, (root) => {
        expect(pairs(read(buildGraph(fragmentOf(root))))).toEqual(pairs(model(root)));
      }),
      { numRuns: runs(1500) },
    );
  });

  it('is the same for nested and flat sequences', () => {
    fc.assert(
      fc.property(tree, fc.array(fc.nat(), { minLength: 6, maxLength: 6 }), (root, cuts) => {
        const expected = pairs(read(buildGraph(fragmentOf(root))));
        expect(pairs(read(buildGraph(fragmentOf(flat(root)))))).toEqual(expected);
        expect(pairs(read(buildGraph(fragmentOf(nest(root, cuts)))))).toEqual(expected);
      }),
      { numRuns: runs(700) },
    );
  });

  it('lets nothing start early or behind a failure, in whatever order ready nodes are taken', () => {
    const fate = fc.constantFrom<End>('good', 'good', 'good', 'failed', 'lost');
    fc.assert(
      fc.property(tree, fc.infiniteStream(fate), fc.infiniteStream(fc.nat()), (root, fates, picks) => {
        const graph = buildGraph(fragmentOf(root));
        const { ids, before, needed } = model(root);
        const place = new Map(ids.map((id, k) => [id, k]));
        const ends = new Map<string, End>();
        const lost = new Set<string>();
        for (const i of schedule(graph, picks)) {
          const id = graph.id(i);
          const k = place.get(id)!;
          const { body } = graph.node(i);
          const { previousStart, previous } = graph.edges;
          const good = (n: number) => ends.get(graph.id(n)) === 'good';
          for (let x = 0; x < ids.length; x++) if (before[x]![k]) expect(ends.get(ids[x]!)).toBeDefined();
          const starts =
            body.type === 'join'
              ? joinReached(graph, i, body, { succeeded: good, isLost: (host) => lost.has(host) })
              : [...previous.subarray(previousStart[i], previousStart[i + 1])].every(good);
          if (!starts) {
            ends.set(id, 'blocked');
            continue;
          }
          for (let x = 0; x < ids.length; x++) if (needed[x]![k]) expect(ends.get(ids[x]!)).toBe('good');
          const drawn = fates.next().value;
          const end = body.type === 'join' || (drawn === 'lost' && graph.host(i) === LOCAL) ? 'good' : drawn;
          if (end === 'lost') lost.add(graph.host(i));
          ends.set(id, lost.has(graph.host(i)) ? 'lost' : end);
        }
        expect(ends.size).toBe(graph.size);
      }),
      { numRuns: runs(700) },
    );
  });
});

/** The nodes as an engine may take them: each after its predecessors, otherwise at random. */
function* schedule(graph: ExecutionGraph, picks: Iterator<number>): Generator<number> {
  const { previousStart, nextStart, next } = graph.edges;
  const waiting = Array.from({ length: graph.size }, (_, i) => previousStart[i + 1]! - previousStart[i]!);
  const ready = waiting.flatMap((count, i) => (count === 0 ? [i] : []));
  while (ready.length > 0) {
    const [i] = ready.splice(picks.next().value % ready.length, 1);
    yield i!;
    for (const k of next.subarray(nextStart[i!], nextStart[i! + 1])) if (--waiting[k]! === 0) ready.push(k);
  }
}
