import type { Cluster } from '../../model/cluster/cluster.ts';
import type { ClusterDocument } from '../../model/cluster/document.ts';
import type { ReportAt } from '../resolve.ts';
import type { Path } from '../tree.ts';

/** What a rule looks at. */
export interface RuleContext {
  readonly cluster: Cluster;
  readonly document: ClusterDocument;
  /** Every name in `spec.hosts`, also of hosts that are wrong in themselves. */
  readonly names: ReadonlySet<string>;
  /** Whether the user wrote something there; empty text and `none` are nothing. */
  readonly isSet: (path: string) => boolean;
  readonly report: ReportAt;
  /** The same, for what is wrong with a key and not with its value. */
  readonly reportKey: ReportAt;
}

/** A rule over several fields. */
export interface Rule {
  /** Fields without which the rule cannot judge: if one is wrong in itself, the rule keeps silent. `*` is any one key. */
  readonly reads: readonly string[];
  readonly check: (context: RuleContext) => void;
}

/** Makes a rule. */
export function rule(reads: readonly string[], check: Rule['check']): Rule {
  return { reads, check };
}

/** Whether a rule's fields are all usable. */
export function canJudge(one: Rule, broken: readonly Path[]): boolean {
  return !one.reads.some((read) => broken.some((path) => touches(read.split('.'), path)));
}

function touches(read: readonly string[], path: Path): boolean {
  const length = Math.min(read.length, path.length);
  for (let i = 0; i < length; i += 1) if (read[i] !== '*' && read[i] !== String(path[i])) return false;
  return true;
}
