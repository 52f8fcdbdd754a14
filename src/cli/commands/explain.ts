import type { ErrorEntry } from '../../index.ts';
import { wrapText } from '../../model/text/width.ts';
import { cliError } from '../cli-error.ts';
import type { CommandSpec } from '../command-spec.ts';
import type { Io } from '../io.ts';
import { printRows, printValue } from '../output/print-data.ts';
import { allFormats, type Format, outputOption } from '../shared-options.ts';

/** `kubexm explain [CODE]` */
export const explainCommand: CommandSpec = {
  path: 'explain',
  summary: 'cmd.explain',
  examples: [
    { line: 'kubexm explain KX4002', text: 'ex.explain' },
    { line: 'kubexm explain KX4002 --lang zh', text: 'ex.explain-zh' },
    { line: 'kubexm explain', text: 'ex.explain-all' },
  ],
  arguments: [{ name: '[code]', text: 'arg.code', kind: 'code' }],
  options: [outputOption(allFormats, 'table')],
  action: async ({ io, args, options }) => {
    const format = options.text('output') as Format;
    const { catalogue, findError } = await import('../../index.ts');
    const entries = Object.entries(catalogue as Readonly<Record<string, ErrorEntry>>).sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    const [given] = args;
    if (given === undefined) {
      printCodes(io, format, entries);
      return 0;
    }
    const code = given.toUpperCase();
    const entry = findError(code);
    if (!entry) {
      throw cliError('KX1024', { code: given }, { similar: { word: code, among: entries.map(([name]) => name) } });
    }
    if (format === 'json' || format === 'yaml') printValue(io, format, entryValue(code, entry));
    else if (format === 'name') io.print(code);
    else printCode(io, code, entry);
    return 0;
  },
};

type Entry = readonly [code: string, entry: ErrorEntry];

function printCodes(io: Io, format: Format, entries: readonly Entry[]): void {
  printRows<Entry>(io, format, entries, {
    columns: [
      { title: io.say('col.code'), cell: ([code]) => code },
      { title: io.say('col.exit'), cell: ([, entry]) => String(entry.exit), align: 'right' },
      { title: io.say('col.title'), cell: ([, entry]) => shown(entry.title[io.lang]) },
      { title: io.say('col.remedy'), cell: ([, entry]) => shown(entry.remedy[io.lang]), wide: true },
    ],
    name: ([code]) => code,
    value: ([code, entry]) => entryValue(code, entry),
  });
}

function printCode(io: Io, code: string, entry: ErrorEntry): void {
  const width = Math.min(io.stdout.columns ?? 88, 88);
  const part = (title: string, text: string) => [
    '',
    io.paint('cyan', title),
    ...wrapText(text, width - 2).map((line) => `  ${line}`),
  ];
  io.print(
    `${io.paint('bold', code)} ${shown(entry.title[io.lang])}`,
    ...part(io.say('explain.meaning'), io.say(`exit.${entry.exit}`)),
    ...part(io.say('explain.remedy'), shown(entry.remedy[io.lang])),
    ...part(io.say('explain.exit'), String(entry.exit)),
  );
}

function entryValue(code: string, { title, remedy, exit }: ErrorEntry) {
  return { code, exit, title, remedy };
}

/** Parameters as a reader expects them: `{host}` becomes `<host>`. What only the program fills in is left out. */
function shown(text: string): string {
  return text.replaceAll(/\{(?:hint|log)\}/g, '').replaceAll(/\{(\w+)\}/g, '<$1>');
}
