import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { kubexmError } from '../../model/errors/index.ts';
import { globPattern } from './glob.ts';
import type { ChangeKind, Difference, Section } from './types.ts';
import { SECTIONS } from './types.ts';

/** A difference that is left out, and why. */
export interface Rule {
  readonly section: Section;
  /** The key, with `*`, `?` and `**`. */
  readonly match: string;
  /** Only such changes. Default: any. */
  readonly changes: readonly ChangeKind[];
  /** Only when nothing but these properties differ. Default: any. */
  readonly only: readonly string[];
  readonly reason: string;
}

/** The reviewed file: what a machine does by itself, and what may remain after a delete. */
export interface DiffRules {
  readonly noise: readonly Rule[];
  readonly remains: readonly Rule[];
}

const FILE = join('data', 'lab', 'allowed-remains.yaml');
const CHANGES: readonly ChangeKind[] = ['added', 'removed', 'changed'];
const FIELDS = ['section', 'match', 'changes', 'only', 'reason'];

/** Reads the reviewed file. */
export async function readDiffRules(file: string = rulesFile()): Promise<DiffRules> {
  try {
    return parseRules(await readFile(file, 'utf8'));
  } catch (error) {
    throw kubexmError('KX6603', { file, reason: (error as Error).message }, { cause: error });
  }
}

/** Checks the text of the reviewed file; throws what is wrong with it. */
export function parseRules(text: string): DiffRules {
  const value: unknown = parse(text);
  if (!isObject(value)) throw new TypeError('it is no mapping');
  const extra = Object.keys(value).find((key) => key !== 'noise' && key !== 'remains');
  if (extra !== undefined) throw new TypeError(`${extra} is unknown`);
  return { noise: rulesOf(value, 'noise'), remains: rulesOf(value, 'remains') };
}

/** What is left when everything that a rule names is taken out. */
export function withoutRules(differences: readonly Difference[], rules: readonly Rule[]): Difference[] {
  const bySection = Map.groupBy(
    rules.map((rule) => ({ ...rule, pattern: globPattern(rule.match) })),
    (rule) => rule.section,
  );
  return differences.filter(
    (one) =>
      !bySection
        .get(one.section)
        ?.some(
          (rule) =>
            rule.pattern.test(one.key) &&
            (rule.changes.length === 0 || rule.changes.includes(one.change)) &&
            (rule.only.length === 0 || propertiesOf(one).every((name) => rule.only.includes(name))),
        ),
  );
}

function propertiesOf({ before, after }: Difference): string[] {
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
}

function rulesOf(value: Readonly<Record<string, unknown>>, list: 'noise' | 'remains'): readonly Rule[] {
  const rules = value[list];
  if (!Array.isArray(rules)) throw new TypeError(`${list} is no list`);
  return rules.map((one, i) => ruleOf(one, `${list}[${i}]`));
}

function ruleOf(value: unknown, at: string): Rule {
  if (!isObject(value)) throw new TypeError(`${at} is no mapping`);
  const extra = Object.keys(value).find((key) => !FIELDS.includes(key));
  if (extra !== undefined) throw new TypeError(`${at}.${extra} is unknown`);
  const { section, match, changes = [], only = [], reason } = value;
  if (!SECTIONS.includes(section as Section)) throw new TypeError(`${at}.section is none of ${SECTIONS.join(', ')}`);
  if (typeof match !== 'string' || match === '') throw new TypeError(`${at}.match is no pattern`);
  if (typeof reason !== 'string' || reason.length < 10) throw new TypeError(`${at}.reason is missing`);
  if (!isTexts(changes) || changes.some((one) => !CHANGES.includes(one as ChangeKind)))
    throw new TypeError(`${at}.changes is no list of ${CHANGES.join(', ')}`);
  if (!isTexts(only)) throw new TypeError(`${at}.only is no list of properties`);
  return { section: section as Section, match, changes: changes as ChangeKind[], only, reason };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** The file lies in `data` of the package, whether this runs from the sources or from a bundle. */
function rulesFile(): string {
  for (let dir = dirname(fileURLToPath(import.meta.url)); dir !== dirname(dir); dir = dirname(dir)) {
    if (existsSync(join(dir, FILE))) return join(dir, FILE);
  }
  return FILE;
}
