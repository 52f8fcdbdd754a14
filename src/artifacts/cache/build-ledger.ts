/** A build as the ledger counts it. */
export interface CountedBuild {
  /** The same wherever the same build is meant. */
  readonly name: string;
  readonly programs: readonly string[];
  /** About how long it takes with all cores for itself. */
  readonly seconds: number;
}

/** How far all builds of a run are together. */
export interface BuildsProgress {
  readonly programs: number;
  readonly built: number;
  /** From 0 to 1, by how long each build takes. */
  readonly share: number;
  /** About how long the rest takes, by how fast the builds really are. */
  readonly leftSeconds: number;
}

/** A build under way. */
export interface BegunBuild {
  /** How far go is. Without a total it is not compiling yet. */
  progress(done: number, total: number | undefined): void;
  /** It is over. Returns the seconds that it would have taken with all cores for itself. */
  end(made: boolean): number;
}

interface Entry {
  readonly build: CountedBuild;
  state: 'planned' | 'building' | 'over';
  /** From 0 to 1. */
  share: number;
  began: number;
  ownSeconds: number;
}

/** What of a build is over when go begins to compile, and what it may say at most before it has ended: linking takes long. */
const SHARE = { downloaded: 0.1, compiled: 0.95 } as const;
/** So much of the first estimate counts beside what was seen: a slow first minute says little. */
const TRUST = { least: 30, share: 0.2 } as const;

/** Counts all builds of a run together: two of them share the cores, so none can say alone how long it takes. */
export class BuildLedger {
  private readonly now: () => number;
  private readonly entries = new Map<string, Entry>();
  private readonly watchers = new Set<(progress: BuildsProgress) => void>();
  /** Seconds in which something was built, and until when they were counted. */
  private busySeconds = 0;
  private counted = 0;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** Builds that a run will make. */
  plan(builds: readonly CountedBuild[]): void {
    for (const build of builds) {
      if (!this.entries.has(build.name))
        this.entries.set(build.name, { build, state: 'planned', share: 0, began: 0, ownSeconds: 0 });
    }
  }

  begin(build: CountedBuild): BegunBuild {
    this.count();
    const entry: Entry = { build, state: 'building', share: 0, began: this.now(), ownSeconds: 0 };
    this.entries.set(build.name, entry);
    this.tell();
    return {
      progress: (done, total) => {
        const { downloaded, compiled } = SHARE;
        const waited = (this.now() - entry.began) / 1000 / Math.max(1, build.seconds);
        const share =
          total === undefined || total === 0
            ? Math.min(downloaded, waited)
            : downloaded + (compiled - downloaded) * Math.min(1, done / total);
        entry.share = Math.max(entry.share, share);
        this.tell();
      },
      end: (made) => {
        this.count();
        // One that failed is no part of the work any more.
        if (made) Object.assign(entry, { state: 'over', share: 1 });
        else this.entries.delete(build.name);
        this.tell();
        return entry.ownSeconds;
      },
    };
  }

  /** A planned build that somebody else has made. */
  settle(name: string): void {
    if (this.entries.get(name)?.state === 'planned') this.entries.delete(name);
  }

  /** Tells of every change until the returned function is called. */
  watch(watcher: (progress: BuildsProgress) => void): () => void {
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }

  progress(): BuildsProgress {
    this.count();
    const all = [...this.entries.values()];
    const sum = (of: (entry: Entry) => number) => all.reduce((total, entry) => total + of(entry), 0);
    const total = sum(({ build }) => build.seconds);
    const done = sum(({ build, share }) => build.seconds * share);
    const trust = Math.max(TRUST.least, total * TRUST.share);
    const pace = (this.busySeconds + trust) / (done + trust);
    return {
      programs: sum(({ build }) => build.programs.length),
      built: sum(({ build, state }) => (state === 'over' ? build.programs.length : 0)),
      share: total === 0 ? 1 : done / total,
      leftSeconds: (total - done) * pace,
    };
  }

  /** Shares the time since the last look among the builds under way. */
  private count(): void {
    const now = this.now();
    const seconds = (now - this.counted) / 1000;
    const building = [...this.entries.values()].filter(({ state }) => state === 'building');
    if (building.length > 0) this.busySeconds += seconds;
    for (const entry of building) entry.ownSeconds += seconds / building.length;
    this.counted = now;
  }

  private tell(): void {
    if (this.watchers.size === 0) return;
    const progress = this.progress();
    for (const watcher of this.watchers) watcher(progress);
  }
}
