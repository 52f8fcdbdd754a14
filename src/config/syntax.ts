import { applyEdits, type EditedText, unchanged } from './edited-text.ts';
import { findSlips, MAX_SLIPS, mixesTabs } from './keyboard.ts';
import { type Problem, problem } from './problem.ts';
import { type Scan, scan } from './scan.ts';
import { secretSpans } from './secret-spans.ts';
import { type ConfigSource, lineText, locationOf, type Span } from './source.ts';

/** More punctuation than this is no configuration: 5,000 hosts need about 120,000. It bounds the time of parsing. */
const MAX_MARKS = 160_000;
const MAX_DEPTH = 64;
const PASSES = 4;

/** What the characters of a file tell before YAML is parsed. */
export interface Syntax {
  readonly problems: readonly Problem[];
  readonly secrets: readonly Span[];
  /** The text as it was meant, to find the problems behind the slips; undefined if nobody can tell. */
  readonly corrected: EditedText | undefined;
}

/** Looks at a text without parsing it. */
export function checkSyntax(source: ConfigSource, text: string): Syntax {
  const refused = (one: Problem): Syntax => ({ problems: [one], secrets: [], corrected: undefined });
  const at = (start: number, length = 0) => locationOf(source, { start, end: start + length });
  const marks = tooManyMarks(text);
  if (marks !== undefined) return refused(problem('KX2014', { limit: MAX_MARKS }, at(marks, 1)));

  let scanned = scan(text);
  const whole = wholeProblem(text, scanned, at);
  const secrets = [...secretSpans(text, scanned)];
  if (whole !== undefined) return { ...refused(whole), secrets };

  const problems: Problem[] = [];
  let corrected = unchanged(text);
  for (let pass = 0; pass < PASSES; pass += 1) {
    const slips = findSlips(corrected.text, scanned);
    for (const one of slips) {
      if (one.silent) continue;
      const span = { start: corrected.original(one.at), end: corrected.original(one.at + one.length) };
      problems.push(problem(one.code, one.params as never, locationOf(source, span)));
    }
    if (slips.length > MAX_SLIPS) return { problems, secrets, corrected: undefined };
    const edits = slips.flatMap((one) => one.edits);
    if (edits.length === 0) break;
    corrected = applyEdits(corrected, edits);
    scanned = scan(corrected.text);
    for (const span of secretSpans(corrected.text, scanned)) {
      secrets.push({ start: corrected.original(span.start), end: corrected.original(span.end) });
    }
  }
  const lost =
    (problems.some((one) => one.code === 'KX2105') && mixesTabs(text)) ||
    problems.some((one) => (one.code === 'KX2010' || one.code === 'KX2017') && !isInComment(source, one.at));
  return { problems, secrets, corrected: lost ? undefined : corrected };
}

/** What makes the whole file no single document. */
function wholeProblem(
  text: string,
  scanned: Scan,
  at: (start: number, length?: number) => Problem['at'],
): Problem | undefined {
  const content = scanned.tokens.filter((token) => token.kind !== 'comment' && token.kind !== 'indent');
  const first = content[0];
  if (first === undefined) return problem('KX2011', {}, at(0));
  if (text[first.start] === '%' && (first.start === 0 || text[first.start - 1] === '\n')) {
    return problem('KX2130', {}, at(first.start, first.end - first.start));
  }
  if (scanned.deepest.depth > MAX_DEPTH) return problem('KX2013', { limit: MAX_DEPTH }, at(scanned.deepest.at, 1));
  const last = content.at(-1)?.start ?? 0;
  const second = scanned.separators.find((start, i) => {
    const ends = text.startsWith('...', start);
    return start > first.start ? !ends || last > start || i > 2 : i > 0 && !ends;
  });
  return second === undefined ? undefined : problem('KX2012', {}, at(second, 3));
}

function isInComment(source: ConfigSource, at: Problem['at']): boolean {
  return /(^|\s)#/.test(lineText(source, at.line - 1).slice(0, at.column - 1));
}

function tooManyMarks(text: string): number | undefined {
  let count = 0;
  for (const match of text.matchAll(/[\n,:"'&*!%?|>#\\[\]{}-]/g)) {
    count += 1;
    if (count > MAX_MARKS) return match.index;
  }
  return undefined;
}
