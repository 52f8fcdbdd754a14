import { writtenPath } from './issues.ts';
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

interface Pattern {
  readonly parts: readonly string[];
  /** Ends in `**`: everything below. */
  readonly deep: boolean;
  readonly values: readonly string[] | undefined;
}

/** What every document has. */
const ALWAYS = ['apiVersion', 'kind', 'metadata.name'];

function parsePattern(text: string): Pattern {
  const [path = '', values] = text.split('=');
  const parts = path.replaceAll('[]', '.*').split('.').filter(Boolean);
  const deep = parts.at(-1) === '**';
  return { parts: deep ? parts.slice(0, -1) : parts, deep, values: values?.split('|') };
}

function covers(pattern: Pattern, path: Path, tree: Tree): boolean {
  if (ALWAYS.includes(formatPath(path))) return true;
  if (!(pattern.deep ? leads(pattern.parts, path) && path.length >= pattern.parts.length : reaches(pattern, path)))
    return false;
  return pattern.values === undefined || (tree.kind === 'scalar' && pattern.values.includes(String(tree.value)));
}

/** Whether a pattern names exactly this path. */
function reaches(pattern: Pattern, path: Path): boolean {
  return path.length === pattern.parts.length && leads(pattern.parts, path);
}

/** Whether something below this path may be named. */
function leadsTo(pattern: Pattern, path: Path): boolean {
  return path.length < 2 || (pattern.parts.length > path.length && leads(pattern.parts, path));
}

function leads(parts: readonly string[], path: Path): boolean {
  const length = Math.min(parts.length, path.length);
  for (let i = 0; i < length; i += 1) if (parts[i] !== '*' && parts[i] !== String(path[i])) return false;
  return true;
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
