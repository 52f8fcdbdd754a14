/** The edges of a graph, both ways, as flat arrays: `next` of node i is `next[nextStart[i]] … next[nextStart[i + 1] - 1]`. */
export interface Edges {
  readonly count: number;
  readonly nextStart: Uint32Array;
  readonly next: Uint32Array;
  readonly previousStart: Uint32Array;
  readonly previous: Uint32Array;
}

/** Collects edges and sorts them once. One that was added twice counts once. */
export class EdgeList {
  private from = new Uint32Array(1024);
  private to = new Uint32Array(1024);
  private count = 0;

  add(from: number, to: number): void {
    if (this.count === this.from.length) {
      this.from = grown(this.from);
      this.to = grown(this.to);
    }
    this.from[this.count] = from;
    this.to[this.count] = to;
    this.count++;
  }

  finish(nodes: number): Edges {
    const count = this.dropTwins(nodes);
    const from = this.from.subarray(0, count);
    const to = this.to.subarray(0, count);
    const [nextStart, next] = bucket(from, to, nodes);
    const [previousStart, previous] = bucket(to, from, nodes);
    return { count, nextStart, next, previousStart, previous };
  }

  /** Sorts by origin and keeps the first of equal edges. */
  private dropTwins(nodes: number): number {
    const [start, next] = bucket(this.from.subarray(0, this.count), this.to.subarray(0, this.count), nodes);
    const lastFrom = new Uint32Array(nodes);
    let kept = 0;
    for (let i = 0; i < nodes; i++) {
      for (let e = start[i] ?? 0; e < (start[i + 1] ?? 0); e++) {
        const to = next[e] ?? 0;
        if (lastFrom[to] === i + 1) continue;
        lastFrom[to] = i + 1;
        this.from[kept] = i;
        this.to[kept] = to;
        kept++;
      }
    }
    return kept;
  }
}

function grown(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/** A counting sort of `values` by `keys`. */
function bucket(keys: Uint32Array, values: Uint32Array, size: number): readonly [Uint32Array, Uint32Array] {
  const start = new Uint32Array(size + 1);
  for (const key of keys) start[key + 1] = (start[key + 1] ?? 0) + 1;
  for (let i = 0; i < size; i++) start[i + 1] = (start[i + 1] ?? 0) + (start[i] ?? 0);
  const cursor = start.slice(0, size);
  const out = new Uint32Array(keys.length);
  for (let e = 0; e < keys.length; e++) {
    const key = keys[e] ?? 0;
    const place = cursor[key] ?? 0;
    out[place] = values[e] ?? 0;
    cursor[key] = place + 1;
  }
  return [start, out];
}
