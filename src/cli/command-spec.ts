import type { ExitCode } from '../index.ts';
import { cliError } from './cli-error.ts';
import type { Io } from './io.ts';
import type { PlainKey } from './texts/index.ts';

/** What a value is, for completion in the shell. */
export type ValueKind =
  | 'file'
  | 'directory'
  | 'run'
  | 'context'
  | 'cluster'
  | 'code'
  | 'node'
  | 'command'
  | 'tag'
  | 'task'
  | 'field'
  | 'lab'
  | 'machine'
  | 'machine-or-lab';

/** A value that a flag or an argument takes. */
interface ValueSpec {
  readonly text: PlainKey;
  readonly choices?: readonly string[];
  readonly kind?: ValueKind;
}

/** A flag of a command. */
export interface OptionSpec extends ValueSpec {
  /** As commander writes them: `-f, --file <path>`. */
  readonly flags: string;
  readonly default?: string;
  /** Several values, separated by commas or given again. */
  readonly list?: boolean;
  /** May be given again; each word is one value, whatever is in it. */
  readonly repeat?: boolean;
  /** A whole number above zero. */
  readonly number?: boolean;
}

/** An argument: `<run>` is needed, `[code]` is not, `<command...>` takes the rest. */
export interface ArgumentSpec extends ValueSpec {
  readonly name: string;
}

/** One line that a person can copy. */
export interface Example {
  readonly line: string;
  readonly text: PlainKey;
}

/** A command as it is called. */
export interface Call {
  readonly io: Io;
  readonly options: Values;
  /** The arguments in order; a variadic one is spread. */
  readonly args: readonly string[];
  /** The words behind `kubexm`, as typed. */
  readonly argv: readonly string[];
}

/** A command: everything its help, its completion, its reference page and its parser need. */
export interface CommandSpec {
  /** `get runs` */
  readonly path: string;
  readonly summary: PlainKey;
  readonly details?: PlainKey;
  readonly examples: readonly Example[];
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Left out of help and references. */
  readonly hidden?: boolean;
  /** What follows is not for kubexm to parse. */
  readonly passThrough?: boolean;
  readonly action: (call: Call) => Promise<ExitCode>;
}

/** The options of a call, by their long name in camel case. */
export class Values {
  private readonly record: Readonly<Record<string, unknown>>;

  constructor(record: Readonly<Record<string, unknown>>) {
    this.record = record;
  }

  /** A text, if it was given. */
  text(name: string): string | undefined {
    const value = this.record[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** Whether a flag was given. */
  flag(name: string): boolean {
    return this.record[name] === true;
  }

  /** A number, if it was given. */
  number(name: string): number | undefined {
    const value = this.record[name];
    return typeof value === 'number' ? value : undefined;
  }

  /** All values of a list; none when it was not given. */
  list(name: string): readonly string[] {
    const value = this.record[name];
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  }

  /** A flag that may have a value: `true` without one. */
  optional(name: string): string | true | undefined {
    const value = this.record[name];
    return typeof value === 'string' || value === true ? value : undefined;
  }
}

/** The long name of a flag: `file` of `-f, --file <path>`. */
export function longName(option: OptionSpec): string {
  return /--([a-z-]+)/.exec(option.flags)?.[1] ?? '';
}

/** Whether a flag takes a value, and must. */
export function takesValue(option: OptionSpec): 'none' | 'optional' | 'required' {
  if (option.flags.includes('<')) return 'required';
  return option.flags.includes('[') ? 'optional' : 'none';
}

/** Checks an argument against what is allowed. */
export function parseArgument(argument: ArgumentSpec, word: string): string {
  const among = argument.choices;
  if (!among || among.includes(word)) return word;
  const option = argument.name.replace(/[^a-z]/g, '').toUpperCase();
  throw cliError('KX1006', { value: word, option, allowed: among.join(', ') }, { similar: { word, among } });
}

/** Turns a word of the command line into an option's value, or says what is allowed. */
export function parseOption(option: OptionSpec, word: string, before: unknown): unknown {
  const flag = `--${longName(option)}`;
  const words = option.list
    ? word
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')
    : [word];
  const wrong = words.find((one) => option.choices && !option.choices.includes(one));
  if (wrong !== undefined) {
    const among = option.choices ?? [];
    throw cliError(
      'KX1006',
      { value: wrong, option: flag, allowed: among.join(', ') },
      { similar: { word: wrong, among } },
    );
  }
  if (option.number) {
    if (!/^[1-9]\d{0,8}$/.test(word)) throw cliError('KX1006', { value: word, option: flag, allowed: '1, 2, 3, …' });
    return Number(word);
  }
  if (!option.list && !option.repeat) return word;
  return [...(Array.isArray(before) ? before : []), ...words];
}
