/** A priority queue of node numbers: the highest priority comes out first, ties in the order of the plan. */
export class Heap {
  private readonly items: number[] = [];
  private readonly priority: Float64Array;

  constructor(priority: Float64Array) {
    this.priority = priority;
  }

  push(item: number): void {
    const { items } = this;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] ?? 0;
      if (!this.before(item, above)) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  pop(): number | undefined {
    const { items } = this;
    const top = items[0];
    const last = items.pop();
    if (top === undefined || last === undefined || items.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.before(items[child + 1] ?? 0, items[child] ?? 0)) child++;
      if (!this.before(items[child] ?? 0, last)) break;
      items[at] = items[child] ?? 0;
      at = child;
    }
    items[at] = last;
    return top;
  }

  private before(a: number, b: number): boolean {
    const difference = (this.priority[a] ?? 0) - (this.priority[b] ?? 0);
    return difference > 0 || (difference === 0 && a < b);
  }
}
