import type { YAMLError } from 'yaml';
import type { ErrorCode } from '../model/errors/index.ts';
import { type Problem, problem } from './problem.ts';
import { scan } from './scan.ts';
import type { Span } from './source.ts';

/** Codes without parameters, by the library's code. The library's own words may quote the text, and so a secret. */
const PLAIN: Readonly<Record<string, Extract<ErrorCode, `KX21${string}`>>> = {
  TAB_AS_INDENT: 'KX2105',
  BAD_INDENT: 'KX2120',
  MULTILINE_IMPLICIT_KEY: 'KX2123',
  BLOCK_AS_IMPLICIT_KEY: 'KX2124',
  BLOCK_IN_FLOW: 'KX2122',
  BAD_DQ_ESCAPE: 'KX2126',
  BAD_ALIAS: 'KX2127',
  BAD_DIRECTIVE: 'KX2130',
  NON_STRING_KEY: 'KX2129',
};

/** A problem for an error of the YAML library. */
export function yamlProblem(
  error: YAMLError,
  text: string,
  at: (span: Span) => Problem['at'],
  quotes: OpenQuotes,
): Problem {
  const [start, end] = error.pos;
  const here = at({ start, end: Math.max(end, start + 1) });
  if (error.code === 'BAD_SCALAR_START') return problem('KX2125', { char: text[start] ?? '' }, here);
  if (error.code === 'RESOURCE_EXHAUSTION') return problem('KX2013', { limit: 64 }, here);
  if (error.code === 'MULTIPLE_DOCS') return problem('KX2012', {}, here);
  if (error.code === 'TAG_RESOLVE_FAILED') return problem('KX2128', { tag: tagAt(text, start) }, here);
  // An open bracket is noticed where the next line starts; show the bracket.
  if (/must be sufficiently indented/.test(error.message)) {
    const open = openBracket(text, start);
    return problem('KX2122', {}, open === undefined ? here : at({ start: open, end: open + 1 }));
  }
  const code = error.code === 'MISSING_CHAR' ? missing(error.message) : PLAIN[error.code];
  if (code === 'KX2121') {
    const quote = quotes(start);
    if (quote !== undefined) return problem(code, {}, at(quote));
  }
  // Without a second colon on its line, the value goes on in the next one, which is indented too far.
  if (code === 'KX2124' && !hasSecondKey(text, start)) {
    const next = nextLine(text, start);
    if (next !== undefined) return problem('KX2120', {}, at(next));
  }
  if (code === undefined) return problem('KX2131', { reason: error.code }, here);
  return problem(code, {} as never, here);
}

/** The quote that is open at an offset: noticed where the text ends, or where another quote seems to close it. */
export type OpenQuotes = (before: number) => Span | undefined;

/** Finds quotes that are not closed on their line; a text is looked at once, when the first is asked for. */
export function openQuotes(text: string): OpenQuotes {
  let found: readonly Span[] | undefined;
  return (before) => {
    found ??= scan(text)
      .tokens.filter(({ kind, start, end }) => kind === 'quoted' && text.slice(start, end).includes('\n'))
      .map(({ start }) => ({ start, end: lineEnd(text, start) }));
    return found.findLast(({ start }) => start <= before);
  };
}

function hasSecondKey(text: string, start: number): boolean {
  return /:(\s|$)/.test(text.slice(start, lineEnd(text, start)));
}

/** The content of the next line that has some. */
function nextLine(text: string, before: number): Span | undefined {
  const match = /\S[^\n]*/.exec(text.slice(lineEnd(text, before)));
  if (match === null) return undefined;
  const start = lineEnd(text, before) + match.index;
  return { start, end: start + match[0].length };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

function missing(message: string): 'KX2121' | 'KX2122' | 'KX2123' | undefined {
  if (/quote/i.test(message)) return 'KX2121';
  if (/flow|,|\]|\}/i.test(message)) return 'KX2122';
  if (/map keys|map values|followed by/i.test(message)) return 'KX2123';
  return undefined;
}

/** The nearest bracket before an offset that is not closed before it. */
function openBracket(text: string, before: number): number | undefined {
  let closed = 0;
  for (let i = before - 1; i >= Math.max(0, before - 5000); i -= 1) {
    if (text[i] === ']' || text[i] === '}') closed += 1;
    else if (text[i] === '[' || text[i] === '{') {
      if (closed === 0) return i;
      closed -= 1;
    }
  }
  return undefined;
}

function tagAt(text: string, start: number): string {
  return /^![^\s,[\]{}]*/.exec(text.slice(start, start + 60))?.[0] ?? '!';
}
