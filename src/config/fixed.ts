import type { Cluster } from '../model/cluster/cluster.ts';
import { MASK } from '../model/text/mask.ts';
import { type ConfigChange, changesBetween } from './diff.ts';
import { writtenPath } from './issues.ts';
import { leads, parsePattern } from './pattern.ts';
import type { ConfigSource } from './source.ts';
import { formatPath, type Path, valueAt } from './tree.ts';

/**
 * The fields that only hold when a cluster is created, and that say otherwise than what was applied then. `fixed`: patterns as
 * for `unsupportedFields`. Paths are as the user wrote them.
 */
export function fixedChanges(
  applied: Cluster,
  wanted: { readonly cluster: Cluster; readonly source: ConfigSource },
  fixed: readonly string[],
): readonly ConfigChange[] {
  const { tree } = wanted.source;
  const patterns = fixed.map(parsePattern);
  const isFixed = (path: Path) => patterns.some(({ parts }) => path.length >= parts.length && leads(parts, path));
  return changesBetween(applied, wanted.cluster)
    .filter(({ path, before }) => {
      // A field that kubexm did not have then, and that nobody has asked for since: only its default is new.
      if (before === undefined && valueAt(tree, path) === undefined) return false;
      // What was kept has no secrets: nobody can tell whether it differs.
      return isFixed(path) && before?.includes(MASK) !== true;
    })
    .map((change) => ({ ...change, path: tree ? writtenPath(tree, change.path) : formatPath(change.path) }));
}
