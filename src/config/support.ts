import type { Cluster } from '../model/cluster/cluster.ts';
import { fieldOf, schemaAt, shapeOf } from './introspect.ts';
import { writtenPath } from './issues.ts';
import { leads, leadsTo, type Pattern, parsePattern, reaches } from './pattern.ts';
import { type Problem, problem } from './problem.ts';
import { type ConfigSource, type Location, locationOf } from './source.ts';
import { entryAt, formatPath, type Path, spanAt, type Tree, valueAt } from './tree.ts';

/**
 * The fields that a pipeline cannot act on and that the user set nevertheless, with KX4010, or with KX4041 where another value would do.
 * Patterns: `spec.kubernetes.**` is all below, `spec.hosts.*.labels` one key or entry (also written `hosts[]`),
 * `spec.network.plugin=flannel|calico` only these values. Empty text, `none`, empty lists and mappings ask for nothing, and neither do
 * defaults that are written out.
 */
export function unsupportedFields(
  source: ConfigSource,
  supported: readonly string[],
  pipeline: string,
): readonly Problem[] {
  const { tree } = source;
  if (tree === undefined) return [];
  const patterns = supported.map(parsePattern);
  const problems: Problem[] = [];
  const visit = (here: Tree, path: Path): void => {
    if (asksNothing(here) || patterns.some((one) => covers(one, path, here))) return;
    // A default that somebody has written out asks for nothing more, unless only other values are supported.
    if (isDefault(here, path, patterns)) return;
    const below = here.kind === 'scalar' ? [] : childrenOf(here);
    const made = entryAt(tree, path)?.made === true;
    const mayHold = below.length > 0 && (made || patterns.some((one) => leadsTo(one, path)));
    if (mayHold) {
      for (const child of below) visit(child.tree, [...path, child.part]);
      return;
    }
    const entry = placeOf(tree, path);
    const at = locationOf(source, entry ?? here.at);
    const field = writtenPath(tree, path);
    const allowed = patterns.find((one) => one.values !== undefined && reaches(one, path))?.values;
    if (here.kind !== 'scalar' || allowed === undefined) problems.push(problem('KX4010', { pipeline, field }, at));
    else problems.push(otherValue(pipeline, field, String(here.value), allowed, at));
  };
  visit(tree, []);
  return problems;
}

/** What the defaults ask for and a pipeline cannot act on is refused as if the user had written it: nothing is ignored. */
export function unsupportedDefaults(
  { cluster, source }: { readonly cluster: Cluster; readonly source: ConfigSource },
  supported: readonly string[],
  pipeline: string,
): readonly Problem[] {
  const { tree } = source;
  return supported.map(parsePattern).flatMap(({ parts, values }) => {
    if (values === undefined || isSet(tree, parts)) return [];
    const value = parts.reduce<unknown>((here, part) => (here as Record<string, unknown> | undefined)?.[part], cluster);
    if (value === undefined || NOTHING.has(value) || values.includes(String(value))) return [];
    return [otherValue(pipeline, formatPath(parts), String(value), values, locationOf(source, spanAt(tree, parts)))];
  });
}

function otherValue(pipeline: string, field: string, value: string, allowed: readonly string[], at: Location): Problem {
  const [only = ''] = allowed;
  return problem('KX4041', { pipeline, field, value, only, allowed: allowed.join(', ') }, at);
}

/** Values by which nobody asks for anything. */
const NOTHING: ReadonlySet<unknown> = new Set(['', 'none', null]);

function isSet(tree: Tree | undefined, path: Path): boolean {
  const value = valueAt(tree, path);
  return value !== undefined && !asksNothing(value);
}

/** What every document has. */
const ALWAYS = ['apiVersion', 'kind', 'metadata.name'];

function covers(pattern: Pattern, path: Path, tree: Tree): boolean {
  if (ALWAYS.includes(formatPath(path))) return true;
  if (!(pattern.deep ? leads(pattern.parts, path) && path.length >= pattern.parts.length : reaches(pattern, path)))
    return false;
  return pattern.values === undefined || (tree.kind === 'scalar' && pattern.values.includes(String(tree.value)));
}

function isDefault(tree: Tree, path: Path, patterns: readonly Pattern[]): boolean {
  if (tree.kind === 'scalar') {
    if (patterns.some((one) => one.values !== undefined && reaches(one, path))) return false;
    // A section that is only there if somebody wants it asks for something by being there.
    const wanted = path.some((_, i) => isOptionalSection(path.slice(0, i)));
    const schema = schemaAt(path);
    return NOTHING.has(tree.value) || (!wanted && schema !== undefined && fieldOf(schema).fallback === tree.value);
  }
  return childrenOf(tree).every((child) => isDefault(child.tree, [...path, child.part], patterns));
}

function isOptionalSection(path: Path): boolean {
  const schema = path.length === 0 ? undefined : schemaAt(path);
  if (schema === undefined || shapeOf(schema) === undefined) return false;
  const { optional, fallback } = fieldOf(schema);
  return optional && fallback === undefined;
}

function childrenOf(tree: Exclude<Tree, { kind: 'scalar' }>): readonly { part: string | number; tree: Tree }[] {
  if (tree.kind === 'list') return tree.items.map((item, part) => ({ part, tree: item }));
  const set = [...tree.entries].filter(([, entry]) => entry.unset !== true);
  return set.map(([part, entry]) => ({ part, tree: entry.value }));
}

function asksNothing(tree: Tree): boolean {
  if (tree.kind === 'scalar') return NOTHING.has(tree.value);
  return childrenOf(tree).every((child) => asksNothing(child.tree));
}

function placeOf(tree: Tree, path: Path): { start: number; end: number } | undefined {
  let here: Tree | undefined = tree;
  let place: { start: number; end: number } | undefined;
  for (const part of path) {
    if (here?.kind === 'map') {
      const entry = here.entries.get(String(part));
      [place, here] = [entry?.key ?? place, entry?.value];
    } else if (here?.kind === 'list') {
      here = here.items[Number(part)];
      place = here?.at ?? place;
    }
  }
  return place;
}
