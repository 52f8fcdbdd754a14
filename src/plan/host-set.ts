/** An immutable set of host names. Sets over the same hosts are usually the same object, which makes most operations free. */
export class HostSet {
  readonly names: readonly string[];
  private positions: ReadonlyMap<string, number> | undefined;

  private constructor(names: readonly string[]) {
    this.names = names;
  }

  static readonly empty = new HostSet([]);

  /** The set of these names; the same array gives the same set, as long as nobody changed it. */
  static of(names: readonly string[]): HostSet {
    if (names.length === 0) return HostSet.empty;
    const known = interned.get(names);
    if (known?.isExactly(names)) return known;
    const set = new HostSet([...new Set(names)]);
    interned.set(names, set);
    return set;
  }

  get size(): number {
    return this.names.length;
  }

  /** Position of each name. Made when first asked for: most sets are only passed along. */
  get index(): ReadonlyMap<string, number> {
    this.positions ??= new Map(this.names.map((name, i) => [name, i]));
    return this.positions;
  }

  has(name: string): boolean {
    return this.names.length <= FEW ? this.names.includes(name) : this.index.has(name);
  }

  /** Whether these are the set's names, in its order. */
  isExactly(names: readonly string[]): boolean {
    return names.length === this.names.length && this.names.every((name, i) => name === names[i]);
  }

  intersect(other: HostSet): HostSet {
    if (this === other || other.size === 0) return other;
    if (other.size < this.size) return other.intersect(this);
    const names = this.names.filter((name) => other.has(name));
    return names.length === this.size ? this : HostSet.of(names);
  }

  minus(other: HostSet): HostSet {
    if (this === other) return HostSet.empty;
    if (other.size === 0) return this;
    const names = this.names.filter((name) => !other.has(name));
    return names.length === this.size ? this : HostSet.of(names);
  }

  union(other: HostSet): HostSet {
    if (this === other || other.size === 0) return this;
    if (this.size === 0) return other;
    const more = other.names.filter((name) => !this.has(name));
    return more.length === 0 ? this : HostSet.of([...this.names, ...more]);
  }
}

const FEW = 8;

const interned = new WeakMap<readonly string[], HostSet>();
