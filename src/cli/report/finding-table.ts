import { errorRemedy, errorTitle, type Lang, type Text } from '../../model/errors/index.ts';
import type { Finding } from '../../model/report.ts';
import { fillText } from '../../model/text/fill.ts';
import { tableText } from '../../model/text/table.ts';
import { wrapText } from '../../model/text/width.ts';

/** With what stands before it, no wider than terminals usually are. */
const TEXT_WIDTH = 68;
/** Beyond so many, what is well is counted, not listed. */
const MOST_ROWS = 40;
const OK = {
  one: { en: 'ok', zh: '正常' },
  many: { en: 'ok ({n})', zh: '正常（{n}）' },
} as const satisfies Record<string, Text>;

/** A row of a table of findings. Rows that begin with the same cell are of one kind. */
export interface FindingRow {
  readonly cells: readonly string[];
  /** What was found; or what there is to say of something that is well. */
  readonly result: Finding | string;
}

/** Findings for people: what was looked at, and what of it is not as it should be. */
export interface FindingTable {
  readonly title: string;
  /** One for each cell, and one for the result. */
  readonly headers: readonly string[];
  readonly rows: readonly FindingRow[];
}

/** All findings in one table, each with what to do about it; without any, the title alone. */
export function findingTable({ title, headers, rows }: FindingTable, lang: Lang): string {
  if (rows.length === 0) return title;
  const shown = rows.length > MOST_ROWS ? counted(rows, lang) : rows;
  return tableText({ title, headers, rows: shown.map(({ cells, result }) => [...cells, resultText(result, lang)]) });
}

/** What is well of each kind as one row, and everything that is not. */
function counted(rows: readonly FindingRow[], lang: Lang): readonly FindingRow[] {
  return [...Map.groupBy(rows, ({ cells }) => cells[0] ?? '')].flatMap(([kind, some]) => {
    const bad = some.filter(({ result }) => typeof result !== 'string');
    const n = some.length - bad.length;
    if (n < 2) return some;
    const blank = (some[0]?.cells ?? []).slice(1).map(() => '');
    return [{ cells: [kind, ...blank], result: fillText(OK.many[lang], { n }) }, ...bad];
  });
}

/** `KX4535 port 6443 is taken (nginx, pid 812)`, and below it what to do. */
function resultText(result: Finding | string, lang: Lang): string {
  if (typeof result === 'string') return result === '' ? OK.one[lang] : result;
  const { code, params, note = '' } = result;
  const title = `${code} ${errorTitle(code, params, lang)}${note === '' ? '' : ` (${note})`}`;
  return [...wrapText(title, TEXT_WIDTH), ...wrapText(`→ ${errorRemedy(code, params, lang)}`, TEXT_WIDTH)].join('\n');
}
