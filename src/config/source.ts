import type { Tree } from './tree.ts';

/** A stretch of the text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A place in a file, as editors count: lines and columns from 1, in UTF-16 units. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** What was read: the text with normal line ends, and what is known about it. */
export interface ConfigSource {
  readonly file: string;
  /** Undefined if the file could not be read as text. */
  readonly text: string | undefined;
  /** The first line that is no part of the file but a word behind `-e`; they follow the text of the file. */
  readonly words?: number;
  /** Offsets at which lines start. */
  readonly lineStarts: readonly number[];
  /** Stretches that hold secrets and are never shown. */
  readonly secrets: readonly Span[];
  /** The document with canonical names; undefined if it is not readable YAML. */
  readonly tree: Tree | undefined;
}

/** Stands where a file would, for what came from the command line. */
const OVERRIDE = '-e';

/** A source of which nothing is known but its text. */
export function sourceOf(file: string, text: string | undefined): ConfigSource {
  return { file, text, lineStarts: lineStartsOf(text ?? ''), secrets: [], tree: undefined };
}

/** Offsets at which the lines of a text start. */
function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The index of the line that an offset lies on. */
function lineIndex(lineStarts: readonly number[], offset: number): number {
  let low = 0;
  let high = lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The text of a line, without its end. */
export function lineText(source: ConfigSource, index: number): string {
  const start = source.lineStarts[index] ?? 0;
  const next = source.lineStarts[index + 1];
  return (source.text ?? '').slice(start, next === undefined ? undefined : next - 1);
}

/** Where a span starts; a span over several lines is cut at the end of its first one. */
export function locationOf(source: ConfigSource, span: Span): Location {
  const end = source.text?.length ?? 0;
  const start = Math.max(0, Math.min(span.start, end));
  const index = lineIndex(source.lineStarts, start);
  const lineStart = source.lineStarts[index] ?? 0;
  const lineEnd = lineStart + lineText(source, index).length;
  const length = Math.max(0, Math.min(span.end, lineEnd) - start);
  const file = index < (source.words ?? Number.POSITIVE_INFINITY) ? source.file : OVERRIDE;
  return { file, line: index + 1, column: start - lineStart + 1, length };
}
