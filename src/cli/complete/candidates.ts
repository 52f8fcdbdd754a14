import { type CommandSpec, longName, type OptionSpec, takesValue, type ValueKind } from '../command-spec.ts';
import { groupSummary } from '../help.ts';
import { globalOptions } from '../shared-options.ts';
import type { Say } from '../texts/index.ts';

/** One thing that could be typed. */
export interface Candidate {
  readonly value: string;
  readonly text: string;
}

/** The answer to the shell: what fits, and whether files or no space should follow. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  readonly files: boolean;
  readonly noSpace: boolean;
}

/** Where values come from that only the machine knows. Gets the words typed so far. */
export type ValueSource = (kind: ValueKind, words: readonly string[]) => Promise<readonly Candidate[]>;

const FILES: Completion = { candidates: [], files: true, noSpace: false };

/** What may stand where the last word is being typed. */
export async function complete(
  words: readonly string[],
  specs: readonly CommandSpec[],
  say: Say,
  valuesOf: ValueSource,
): Promise<Completion> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  if (before.includes('--')) return FILES;
  const place = walk(before, current, specs);
  if (place.pending) return values(place.pending, current, words, valuesOf);
  if (current.startsWith('-') && current.includes('=')) {
    const [flag = '', ...rest] = current.split('=');
    const option = place.options.find((one) => flagsOf(one).includes(flag));
    return option ? values(option, rest.join('='), words, valuesOf) : none();
  }
  if (current.startsWith('-')) return found(flagCandidates(place, current, say), current);
  const subcommands = subcommandCandidates(place.path, specs, say);
  if (subcommands.length > 0) return found(subcommands, current);
  const argument = place.spec?.arguments?.[place.positional] ?? place.spec?.arguments?.at(-1);
  if (!argument || (place.positional >= (place.spec?.arguments?.length ?? 0) && !argument.name.includes('...')))
    return none();
  return values(argument, current, words, valuesOf);
}

interface Place {
  readonly path: string;
  readonly spec: CommandSpec | undefined;
  readonly options: readonly OptionSpec[];
  /** How many arguments are there already. */
  readonly positional: number;
  readonly used: ReadonlySet<string>;
  /** The option whose value comes next. */
  readonly pending: OptionSpec | undefined;
}

function walk(words: readonly string[], current: string, specs: readonly CommandSpec[]): Place {
  let path = '';
  let positional = 0;
  const used = new Set<string>();
  let pending: OptionSpec | undefined;
  const optionsAt = (at: string) => [...(specs.find((spec) => spec.path === at)?.options ?? []), ...globalOptions];
  for (const [i, word] of words.entries()) {
    if (pending) {
      pending = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const [flag = ''] = word.split('=');
      const option = optionsAt(path).find((one) => flagsOf(one).includes(flag));
      if (option) used.add(longName(option));
      const next = words[i + 1] ?? current;
      const takesNext = option && !word.includes('=') && takesValue(option) !== 'none';
      if (takesNext && (takesValue(option) === 'required' || !next.startsWith('-'))) pending = option;
      continue;
    }
    const longer = path === '' ? word : `${path} ${word}`;
    if (specs.some((spec) => spec.path === longer || spec.path.startsWith(`${longer} `))) path = longer;
    else positional++;
  }
  return { path, spec: specs.find((spec) => spec.path === path), options: optionsAt(path), positional, used, pending };
}

async function values(
  of: { readonly choices?: readonly string[]; readonly kind?: ValueKind; readonly list?: boolean },
  current: string,
  words: readonly string[],
  valuesOf: ValueSource,
): Promise<Completion> {
  if (of.kind === 'file' || of.kind === 'directory' || of.kind === 'command') return FILES;
  const all = of.choices?.map((value) => ({ value, text: '' })) ?? (of.kind ? await valuesOf(of.kind, words) : []);
  // A field is followed by its value.
  if (!of.list) return { ...found(all, current), noSpace: of.kind === 'field' };
  // In a list only its last part is being typed; what stands before it stays.
  const kept = current.slice(0, current.lastIndexOf(',') + 1);
  const taken = new Set(kept.split(','));
  const rest = all.filter(({ value }) => !taken.has(value)).map(({ value, text }) => ({ value: kept + value, text }));
  return { ...found(rest, current), noSpace: true };
}

function flagCandidates(place: Place, current: string, say: Say): Candidate[] {
  return place.options
    .filter((option) => option.list || option.repeat || !place.used.has(longName(option)))
    .flatMap((option) => {
      const text = say(option.text);
      const flags = current === '-' ? flagsOf(option) : [`--${longName(option)}`];
      return flags.map((value) => ({ value, text }));
    });
}

function subcommandCandidates(path: string, specs: readonly CommandSpec[], say: Say): Candidate[] {
  const depth = path === '' ? 0 : path.split(' ').length;
  const inside = specs.filter((spec) => !spec.hidden && (path === '' || spec.path.startsWith(`${path} `)));
  const byWord = Map.groupBy(inside, (spec) => spec.path.split(' ')[depth] ?? '');
  return [...byWord].map(([value, [first]]) => {
    const full = path === '' ? value : `${path} ${value}`;
    return { value, text: first?.path === full ? say(first.summary) : groupSummary(full, say) };
  });
}

function flagsOf(option: OptionSpec): string[] {
  return option.flags.match(/--?[a-z][a-z-]*/g) ?? [];
}

function found(all: readonly Candidate[], current: string): Completion {
  return { candidates: all.filter(({ value }) => value.startsWith(current)), files: false, noSpace: false };
}

function none(): Completion {
  return { candidates: [], files: false, noSpace: false };
}
