/** An immutable set of host names. Sets over the same hosts are usually the same object, which makes most operations free. */
export class HostSet {
  readonly names: readonly string[];
  /** Position of each name. */
  readonly index: ReadonlyMap<string, number>;

  private constructor(names: readonly string[]) {
    this.names = names;
    this.index = new Map(names.map((name, i) => [name, i]));
  }

  static readonly empty = new HostSet([]);

  /** The set of these names; the same array gives the same set. */
  static of(names: readonly string[]): HostSet {
    if (names.length === 0) return HostSet.empty;
    let set = interned.get(names);
    if (!set) {
      set = new HostSet([...new Set(names)]);
      interned.set(names, set);
    }
    return set;
  }

  get size(): number {
    return this.names.length;
  }

  has(name: string): boolean {
    return this.index.has(name);
  }

  intersect(other: HostSet): HostSet {
    if (this === other || other.size === 0) return other;
    const names = this.names.filter((name) => other.has(name));
    return names.length === this.size ? this : HostSet.of(names);
  }

  minus(other: HostSet): HostSet {
    if (this === other) return HostSet.empty;
    const names = this.names.filter((name) => !other.has(name));
    return names.length === this.size ? this : HostSet.of(names);
  }

  union(other: HostSet): HostSet {
    if (this === other || other.size === 0) return this;
    const more = other.names.filter((name) => !this.has(name));
    return more.length === 0 ? this : HostSet.of([...this.names, ...more]);
  }
}

const interned = new WeakMap<readonly string[], HostSet>();
