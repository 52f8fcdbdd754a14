import { errorRemedy, errorTitle, type Lang } from '../model/errors/index.ts';
import { textWidth } from '../model/text/width.ts';
import { type Problem, visible } from './problem.ts';
import { maskLine } from './secret-spans.ts';
import { type ConfigSource, type Location, lineText, type Span } from './source.ts';

/** How problems are shown. */
export interface RenderOptions {
  readonly lang: Lang;
  readonly color: boolean;
}

const WORDS = {
  en: { error: 'error', warning: 'warning', fix: 'fix', also: 'see also' },
  zh: { error: '错误', warning: '警告', fix: '修复', also: '另见' },
} as const;
const STYLES = { error: '31;1', warning: '33;1', place: '36', fix: '32', dim: '2' } as const;
/** Columns of a line that are shown around a problem. */
const WINDOW = 110;
const AROUND = 300;

type Paint = (style: keyof typeof STYLES, text: string) => string;

/** What is needed to show a line. */
interface View {
  readonly source: ConfigSource;
  readonly paint: Paint;
  /** Texts of secrets: hidden wherever they stand, also where nothing else tells what they are. */
  readonly secrets: readonly string[];
}

/** All problems as text for a terminal: where, the line underlined, what, and what to do. */
export function renderProblems(problems: readonly Problem[], source: ConfigSource, options: RenderOptions): string {
  const paint: Paint = (style, text) => (options.color ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text);
  const view: View = { source, paint, secrets: secretTexts(source) };
  return problems.map((one) => renderProblem(one, view, options.lang)).join('\n\n');
}

function renderProblem(one: Problem, view: View, lang: Lang): string {
  const { source, paint } = view;
  const words = WORDS[lang];
  const title = errorTitle(one.code, one.params, lang);
  const remedy = errorRemedy(one.code, one.params, lang);
  const lines = [
    `${paint('place', place(one.at, source))}: ${paint(one.severity, `${words[one.severity]} ${one.code}`)}: ${title}`,
    ...snippet(one.at, view, one.severity),
    `  ${paint('fix', `${words.fix}:`)} ${remedy}`,
  ];
  for (const other of one.also ?? []) {
    lines.push(`  ${words.also} ${paint('place', place(other, source))}`, ...snippet(other, view, 'dim'));
  }
  return lines.join('\n');
}

function place(at: Location, source: ConfigSource): string {
  const file = visible(at.file);
  return source.text === undefined || at.file !== source.file ? file : `${file}:${at.line}:${at.column}`;
}

/** The line and its underline, in columns of the terminal: a full-width character takes two. */
function snippet(at: Location, view: View, style: keyof typeof STYLES): readonly string[] {
  const { source, paint } = view;
  if (source.text === undefined) return [];
  const start = at.column - 1;
  const { text, from } = shownPart(at, view);
  const before = flat(text.slice(0, start - from));
  const under = flat(text.slice(start - from, start - from + at.length));
  const number = at.file === source.file ? String(at.line) : at.file;
  const gutter = ' '.repeat(number.length);
  const marks = '^'.repeat(Math.max(1, textWidth(under)));
  return [
    `  ${paint('dim', `${number} |`)} ${flat(text)}`,
    `  ${paint('dim', `${gutter} |`)} ${' '.repeat(textWidth(before))}${paint(style, marks)}`,
  ];
}

/** The line, or of a long line the part around the problem, without secrets. */
function shownPart(at: Location, { source, secrets }: View): { text: string; from: number } {
  const line = lineText(source, at.line - 1);
  const start = at.column - 1;
  const from = line.length <= WINDOW ? 0 : Math.max(0, Math.min(start - 30, line.length - WINDOW));
  const to = Math.min(line.length, from + WINDOW);
  // A little more is looked at than is shown, so that a secret that is cut off is still known for one.
  const first = Math.max(0, from - AROUND);
  const offset = (source.lineStarts[at.line - 1] ?? 0) + first;
  const known = maskLine(masked(line.slice(first, to + AROUND), offset, source.secrets));
  const text = secrets.reduce((part, one) => part.replaceAll(one, '*'.repeat(one.length)), known);
  const part = text.slice(from - first, to - first);
  // Dots stand for a character each, so that the columns stay.
  const head = from > 0 ? '…' : part.slice(0, 1);
  const tail = to < line.length ? '…' : part.slice(-1);
  return { text: part.length < 2 ? part : head + part.slice(1, -1) + tail, from };
}

/** Short texts would hide half of a file. */
function secretTexts(source: ConfigSource): readonly string[] {
  const texts = source.secrets.map((span) =>
    (source.text ?? '').slice(span.start, Math.min(span.end, span.start + AROUND)).replace(/^["'\s]|["'\s]$/g, ''),
  );
  return [...new Set(texts.filter((text) => text.length >= 6))].slice(0, 1000);
}

/** Secrets become asterisks of the same length, so that what follows stays in its column. */
function masked(text: string, offset: number, secrets: readonly Span[]): string {
  let line = text;
  for (const span of secrets) {
    const start = Math.max(0, span.start - offset);
    const end = Math.min(line.length, span.end - offset);
    if (start < end) line = line.slice(0, start) + '*'.repeat(end - start) + line.slice(end);
  }
  return line;
}

/** What a terminal would obey becomes what it shows; a tab becomes two spaces. */
function flat(text: string): string {
  return visible(text.replaceAll('\t', '  '));
}
