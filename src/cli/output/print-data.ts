import type { Io } from '../io.ts';
import type { Format } from '../shared-options.ts';
import { type Column, tableLines } from './table.ts';
import { toYaml } from './yaml.ts';

/** A value as JSON or YAML, on stdout. */
export function printValue(io: Io, format: 'json' | 'yaml', value: unknown): void {
  io.stdout.write(format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : toYaml(value));
}

/** A list in any of the formats. */
export function printRows<Row>(
  io: Io,
  format: Format,
  rows: readonly Row[],
  as: {
    readonly columns: readonly Column<Row>[];
    readonly name: (row: Row) => string;
    readonly value: (row: Row) => unknown;
  },
): void {
  if (format === 'json' || format === 'yaml') printValue(io, format, rows.map(as.value));
  else if (format === 'name') io.print(rows.map(as.name));
  else {
    const columns = as.columns.filter((column) => format === 'wide' || !column.wide);
    io.print(tableLines(columns, rows, io.paint));
  }
}
