import { printable } from '../../model/text/printable.ts';
import { padText, padTextStart, textWidth } from '../../model/text/width.ts';
import type { Paint, Style } from './color.ts';

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** Only with `-o wide`. */
  readonly wide?: boolean;
  readonly align?: 'left' | 'right';
  readonly style?: (row: Row) => Style;
}

/** Rows in columns, as wide as their longest cell; the titles are the first line. */
export function tableLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[], paint: Paint): string[] {
  const cells = rows.map((row) => columns.map((column) => printable(column.cell(row)) || '–'));
  const widths = columns.map((column, i) =>
    cells.reduce((width, row) => Math.max(width, textWidth(row[i] ?? '')), textWidth(column.title)),
  );
  const line = (texts: readonly string[], style: (i: number) => Style): string =>
    texts
      .map((text, i) => {
        const pad = columns[i]?.align === 'right' ? padTextStart : padText;
        const isLast = i === columns.length - 1 && columns[i]?.align !== 'right';
        const filled = isLast ? text : pad(text, widths[i] ?? 0);
        return filled.replace(text, () => paint(style(i), text));
      })
      .join('   ');
  return [
    line(
      columns.map((column) => column.title),
      () => 'dim',
    ),
    ...rows.map((row, r) => line(cells[r] ?? [], (i) => columns[i]?.style?.(row) ?? 'plain')),
  ];
}

/** Names and values, aligned, as `describe` shows them. */
export function fieldLines(
  fields: readonly (readonly [name: string, value: string])[],
  paint: Paint,
  indent = '',
): string[] {
  const width = fields.reduce((most, [name]) => Math.max(most, textWidth(name)), 0);
  return fields.map(([name, value]) => `${indent}${paint('dim', padText(name, width))}   ${value}`);
}
