import type { ShownKey } from '../index.ts';
import type { Io } from './io.ts';
import { tableLines } from './output/table.ts';

/** The host keys that are trusted from now on, so that somebody can compare them with the machines. */
export function pinnedLines(keys: readonly ShownKey[], file: string, { say, paintNote: paint }: Io): string[] {
  const columns = [
    { title: say('col.host'), cell: ({ host }: ShownKey) => host },
    { title: say('col.type'), cell: ({ type }: ShownKey) => type },
    { title: say('col.fingerprint'), cell: ({ fingerprint }: ShownKey) => fingerprint },
  ];
  const byName = new Intl.Collator('en', { numeric: true });
  const rows = [...keys].sort((a, b) => byName.compare(a.host, b.host));
  return [paint('yellow', say('pinned', { file })), ...tableLines(columns, rows, paint).map((line) => `  ${line}`)];
}
