/** What a difference can be about, in the order in which differences are listed. */
export const SECTIONS = [
  'file',
  'package',
  'user',
  'group',
  'unit',
  'hostname',
  'timezone',
  'link',
  'address',
  'route',
  'rule',
  'nftables',
  'iptables',
  'ipset',
  'mount',
  'cgroup',
  'sysctl',
  'module',
  'port',
  'swap',
] as const;

/** What a difference is about. */
export type Section = (typeof SECTIONS)[number];

/** The sections that only a running machine can tell: all but its files. */
export type StateSection = Exclude<Section, 'file'>;

/** The properties of one thing, by name: what is compared. */
export type Facet = Readonly<Record<string, string>>;

/** Things of one section by their name. */
export type Entries = ReadonlyMap<string, Facet>;

/** A section that could not be looked at, and why: it is never taken for empty. */
export interface Unseen {
  readonly section: Section;
  readonly reason: string;
}

/** What a running machine was like. A section is either here or among the unseen. */
export interface CollectedState {
  readonly sections: ReadonlyMap<StateSection, Entries>;
  readonly unseen: readonly Unseen[];
}

/** How a thing differs from the baseline. */
export type ChangeKind = 'added' | 'removed' | 'changed';

/** One difference. Of a changed thing, only the properties that differ are here. */
export interface Difference {
  readonly section: Section;
  /** A path, a name, or what else tells it from others of its section. */
  readonly key: string;
  readonly change: ChangeKind;
  readonly before?: Facet;
  readonly after?: Facet;
}

/** What changed on a machine since its baseline. */
export interface MachineDiff {
  readonly machine: string;
  /** When the baseline was taken, as an ISO time. */
  readonly since: string;
  readonly differences: readonly Difference[];
  readonly unseen: readonly Unseen[];
  /** How many differences were left out because they may remain after a delete. */
  readonly remains: number;
}
