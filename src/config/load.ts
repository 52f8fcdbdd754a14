import type { Cluster } from '../model/cluster/cluster.ts';
import { canonicalTree, type Report } from './coerce.ts';
import { decode, normalise } from './decode.ts';
import { type Override, placeOverrides, withOverrides } from './overrides.ts';
import { parseYaml } from './parse.ts';
import { type Problem, problem, tidy } from './problem.ts';
import { MAX_BYTES, readBytes, tooLarge } from './read.ts';
import { type ReportAt, resolveCluster } from './resolve.ts';
import { allRules } from './rules/index.ts';
import { canJudge } from './rules/rule.ts';
import { checkShape } from './shape.ts';
import { type ConfigSource, locationOf, type Span, sourceOf } from './source.ts';
import { checkSyntax } from './syntax.ts';
import { entryAt, type Path, type Scalar, spanAt, type Tree, valueAt } from './tree.ts';

/** Text that did not come from a file of its own, and the name to show for it. */
export interface ConfigText {
  readonly text: string;
  readonly file: string;
}

/** What loading a configuration gives: a cluster unless there are errors, and all problems at once. */
export interface LoadedConfig {
  readonly cluster?: Cluster;
  readonly problems: readonly Problem[];
  readonly source: ConfigSource;
}

/** A bound on time and memory; nobody reads that many. */
const MAX_PROBLEMS = 20_000;

/**
 * Reads, checks and completes a configuration. Whatever the file is, this does not throw. `overrides`: fields that hold
 * instead of what the file says, as `path=value`.
 */
export async function loadConfig(from: string | ConfigText, overrides: readonly string[] = []): Promise<LoadedConfig> {
  if (typeof from !== 'string') return loadText(from.file, from.text, overrides);
  const bytes = await readBytes(from);
  if (!(bytes instanceof Uint8Array)) return { problems: [bytes], source: sourceOf(from, undefined) };
  const text = decode(from, bytes);
  if (typeof text !== 'string') return { problems: [text], source: sourceOf(from, undefined) };
  return loadText(from, text, overrides);
}

function loadText(file: string, raw: string, overrides: readonly string[]): LoadedConfig {
  if (raw.length > MAX_BYTES) return { problems: [tooLarge(file, raw.length)], source: sourceOf(file, undefined) };
  if (raw.includes('\0')) {
    const source = sourceOf(file, undefined);
    return { problems: [problem('KX2009', {}, locationOf(source, { start: 0, end: 0 }))], source };
  }
  const text = normalise(raw);
  const bare = sourceOf(file, text);
  const syntax = checkSyntax(bare, text);
  const source: ConfigSource = { ...bare, secrets: syntax.secrets };
  if (syntax.corrected === undefined) return { problems: tidy(syntax.problems), source };

  const parsed = parseYaml(source, syntax.corrected);
  const problems = [...syntax.problems, ...parsed.problems];
  if (parsed.tree === undefined) return { problems: tidy(problems), source };
  const extended = withOverrides(source, overrides);
  return checkTree({ ...extended.source, tree: parsed.tree }, parsed.tree, problems, extended.overrides);
}

function checkTree(
  source: ConfigSource,
  parsed: Tree,
  found: readonly Problem[],
  overrides: readonly Override[],
): LoadedConfig {
  const problems: Problem[] = [...found];
  const report: Report = (code, params, at: Span, ...also: Span[]) => {
    if (problems.length >= MAX_PROBLEMS) return;
    problems.push(
      problem(
        code,
        params,
        locationOf(source, at),
        also.map((one) => locationOf(source, one)),
      ),
    );
  };
  const whole = placeOverrides(parsed, source, overrides, report);
  const { tree, secrets, doubtful } = canonicalTree(whole, report);
  const shaped = checkShape(tree, doubtful, report);
  const known: ConfigSource = { ...source, tree, secrets: [...source.secrets, ...secrets] };
  if (shaped.document === undefined) return { problems: tidy(problems), source: known };

  const { document } = shaped;
  const place = (path: Path): Span => spanAt(tree, shaped.original(path));
  const reportAt: ReportAt = (code, params, path, ...also) => report(code, params, place(path), ...also.map(place));
  const key = (path: Path): Span => entryAt(tree, shaped.original(path))?.key ?? place(path);
  const reportKey: ReportAt = (code, params, path, ...also) => report(code, params, key(path), ...also.map(key));
  const { names, complete } = hostNames(tree, shaped.broken);
  const written = (path: Path): boolean => isWritten(tree, shaped.original(path));
  const cluster = resolveCluster(document, { names, complete, written, report: reportAt });
  const isSet = (path: string): boolean => isWritten(tree, path.split('.'));
  for (const rule of allRules) {
    if (canJudge(rule, shaped.broken)) rule.check({ cluster, document, names, isSet, report: reportAt, reportKey });
  }
  const sorted = tidy(problems);
  const good = sorted.every((one) => one.severity === 'warning');
  return { ...(good ? { cluster } : {}), problems: sorted, source: known };
}

/** The names of all hosts that can be read, and whether that is every host. */
function hostNames(tree: Tree, broken: readonly Path[]): { names: ReadonlySet<string>; complete: boolean } {
  const hosts = valueAt(tree, ['spec', 'hosts']);
  const found = hosts?.kind === 'list' ? hosts.items.map((host) => valueAt(host, ['name'])) : [undefined];
  const names = found.filter((name): name is Scalar => name?.kind === 'scalar').map((name) => String(name.value));
  const doubtful = broken.some(([, section, , key]) => section === 'hosts' && key === 'name');
  return { names: new Set(names), complete: names.length === found.length && !doubtful };
}

function isWritten(tree: Tree, path: Path): boolean {
  const value = valueAt(tree, path);
  if (value === undefined || entryAt(tree, path)?.unset === true) return false;
  return value.kind !== 'scalar' || (value.value !== '' && value.value !== null && value.value !== 'none');
}
