import { padText, textWidth } from './width.ts';

/** What a cell holds. Nothing is shown as a dash. */
export type Cell = string | number | boolean | null;

/** A table. */
export interface ReportTable {
  readonly title?: string;
  readonly headers: readonly string[];
  /** Row by row; or by name, as values of all hosts come: the name is the first cell. */
  readonly rows: readonly (readonly Cell[])[] | { readonly [name: string]: Cell | readonly Cell[] };
}

/** The table as lines of text. */
export function tableText(want: ReportTable): string {
  const rows = rowsOf(want.rows).map((row) => row.map(cellLines));
  const all = [want.headers.map(cellLines), ...rows];
  const columns = Math.max(...all.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, c) =>
    Math.max(0, ...all.flatMap((row) => (row[c] ?? []).map(textWidth))),
  );
  const body = all.flatMap((row) => rowLines(row, widths));
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  const heads = rowLines(all[0] ?? [], widths).length;
  return [...(want.title === undefined ? [] : [want.title]), ...body.slice(0, heads), rule, ...body.slice(heads)].join(
    '\n',
  );
}

function rowsOf(rows: ReportTable['rows']): readonly (readonly Cell[])[] {
  if (isList(rows)) return rows;
  return Object.entries(rows).map(([name, cells]) => (isList(cells) ? [name, ...cells] : [name, cells]));
}

function isList<T>(value: T): value is Extract<T, readonly unknown[]> {
  return Array.isArray(value);
}

/** A cell may have several lines. Control characters are taken out: they could move the cursor. */
function cellLines(cell: Cell): readonly string[] {
  const text = cell === null || cell === '' ? '-' : String(cell);
  return text.split(/\r?\n/).map((line) => line.replaceAll('\t', ' ').replace(/\p{Cc}/gu, ''));
}

function rowLines(row: readonly (readonly string[])[], widths: readonly number[]): readonly string[] {
  const height = Math.max(1, ...row.map((cell) => cell.length));
  return Array.from({ length: height }, (_, k) =>
    widths
      .map((width, c) => padText(row[c]?.[k] ?? '', width))
      .join('  ')
      .trimEnd(),
  );
}
