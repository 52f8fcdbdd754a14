import { writtenPath } from './issues.ts';
import { leads, leadsTo, type Pattern, parsePattern, reaches } from './pattern.ts';
import { type Problem, problem } from './problem.ts';
import { type ConfigSource, locationOf } from './source.ts';
import { entryAt, formatPath, type Path, type Tree } from './tree.ts';

/**
 * The fields that a pipeline cannot act on and that the user set nevertheless, with KX4010.
 * Patterns: `spec.kubernetes.**` is all below, `spec.hosts.*.labels` one key or entry (also written `hosts[]`),
 * `spec.network.plugin=flannel|calico` only these values. Empty text, lists and mappings ask for nothing.
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
    const below = here.kind === 'scalar' ? [] : childrenOf(here);
    const made = entryAt(tree, path)?.made === true;
    const mayHold = below.length > 0 && (made || patterns.some((one) => leadsTo(one, path)));
    if (mayHold) {
      for (const child of below) visit(child.tree, [...path, child.part]);
      return;
    }
    const entry = placeOf(tree, path);
    const value = here.kind === 'scalar' && patterns.some((one) => one.values !== undefined && reaches(one, path));
    const field = `${writtenPath(tree, path)}${value ? `: ${String(here.value)}` : ''}`;
    problems.push(problem('KX4010', { pipeline, field }, locationOf(source, entry ?? here.at)));
  };
  visit(tree, []);
  return problems;
}

/** What every document has. */
const ALWAYS = ['apiVersion', 'kind', 'metadata.name'];

function covers(pattern: Pattern, path: Path, tree: Tree): boolean {
  if (ALWAYS.includes(formatPath(path))) return true;
  if (!(pattern.deep ? leads(pattern.parts, path) && path.length >= pattern.parts.length : reaches(pattern, path)))
    return false;
  return pattern.values === undefined || (tree.kind === 'scalar' && pattern.values.includes(String(tree.value)));
}

function childrenOf(tree: Exclude<Tree, { kind: 'scalar' }>): readonly { part: string | number; tree: Tree }[] {
  if (tree.kind === 'list') return tree.items.map((item, part) => ({ part, tree: item }));
  const set = [...tree.entries].filter(([, entry]) => entry.unset !== true);
  return set.map(([part, entry]) => ({ part, tree: entry.value }));
}

function asksNothing(tree: Tree): boolean {
  if (tree.kind === 'scalar') return tree.value === '' || tree.value === null;
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
