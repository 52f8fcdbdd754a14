import type { Readable, Writable } from 'node:stream';
import type { Lang } from '../index.ts';
import { hasUnicode, type Paint, painter, wantsColor } from './output/color.ts';
import { langOf, type Say, speaker } from './texts/index.ts';

/** A stream that words are written to. */
export type Out = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

/** A line, or any number of them: a list is never spread, for it may be longer than a call allows. */
export type Lines = string | readonly string[];

/** What a process gives to the command line. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Out;
  readonly stderr: Out;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** The flags that every command knows. */
export interface GlobalFlags {
  readonly lang?: string;
  readonly noColor: boolean;
  readonly noInput: boolean;
  readonly yes: boolean;
  readonly debug: boolean;
}

/** The streams together with how to speak on them. stdout is data; everything for people goes to stderr. */
export interface Io extends Streams {
  readonly lang: Lang;
  readonly say: Say;
  /** Paints for stdout. */
  readonly paint: Paint;
  readonly colorNote: boolean;
  /** Paints for stderr. */
  readonly paintNote: Paint;
  readonly unicode: boolean;
  /** How long a line for people may be: no limit where no terminal breaks it. */
  readonly noteWidth: number;
  readonly debug: boolean;
  readonly assumeYes: boolean;
  /** Whether a person is there to answer. */
  readonly canAsk: boolean;
  /** Writes lines of data. */
  print(...lines: readonly Lines[]): void;
  /** Writes lines for people. */
  note(...lines: readonly Lines[]): void;
}

/** Joins streams and flags. */
export function makeIo(streams: Streams, flags: GlobalFlags): Io {
  const { stdin, stdout, stderr, env } = streams;
  const lang = langOf(flags.lang, env);
  const colorNote = wantsColor(stderr.isTTY === true, env, flags.noColor);
  const lines = (all: readonly Lines[]) =>
    all
      .flat()
      .map((line) => `${line}\n`)
      .join('');
  return {
    ...streams,
    lang,
    say: speaker(lang),
    paint: painter(wantsColor(stdout.isTTY === true, env, flags.noColor)),
    colorNote,
    paintNote: painter(colorNote),
    unicode: hasUnicode(env) || lang === 'zh',
    noteWidth: stderr.isTTY ? Math.max(20, stderr.columns ?? 80) : Number.POSITIVE_INFINITY,
    debug: flags.debug,
    assumeYes: flags.yes,
    canAsk: !flags.noInput && stdin.isTTY === true && stderr.isTTY === true,
    print: (...all) => void stdout.write(lines(all)),
    note: (...all) => void stderr.write(lines(all)),
  };
}

/** Reads the flags that decide how to speak, before anything else is understood. */
export function earlyFlags(argv: readonly string[], env: NodeJS.ProcessEnv): GlobalFlags {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const at = words.findIndex((word) => word === '--lang' || word.startsWith('--lang='));
  const word = words[at];
  const lang = word?.startsWith('--lang=') ? word.slice('--lang='.length) : at < 0 ? undefined : words[at + 1];
  return {
    ...(lang === undefined ? {} : { lang }),
    noColor: words.includes('--no-color'),
    noInput: words.includes('--no-input'),
    yes: words.includes('--yes') || words.includes('-y'),
    debug: words.includes('--debug') || words.includes('-v') || Boolean(env['KUBEXM_DEBUG']),
  };
}
