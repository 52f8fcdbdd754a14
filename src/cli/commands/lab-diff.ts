import type { ExitCode, MachineDiff } from '../../index.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import type { Io } from '../io.ts';
import { type DiffRow, differenceText, foldTrees } from '../lab/diff-rows.ts';
import type { Style } from '../output/color.ts';
import { timeText } from '../output/duration.ts';
import { printRows, printValue } from '../output/print-data.ts';
import { allFormats, type Format, outputOption } from '../shared-options.ts';
import type { PlainKey } from '../texts/index.ts';

/** `kubexm lab diff` */
export const labDiffCommand: CommandSpec = {
  path: 'lab diff',
  summary: 'cmd.lab-diff',
  details: 'cmd.lab-diff.details',
  examples: [
    { line: 'kubexm lab diff t-1', text: 'ex.lab-diff' },
    { line: 'kubexm lab diff t-1 --ignore-remains --detailed-exitcode', text: 'ex.lab-diff-remains' },
    { line: 'kubexm lab diff t-1 -o json', text: 'ex.lab-diff-json' },
  ],
  arguments: [{ name: '<machine>', text: 'arg.machine', kind: 'machine' }],
  options: [
    { flags: '--ignore-remains', text: 'opt.ignore-remains' },
    { flags: '--detailed-exitcode', text: 'opt.detailed-exitcode' },
    outputOption(allFormats, 'table'),
  ],
  action: showDiff,
};

const CHANGES: Readonly<Record<DiffRow['difference']['change'], readonly [text: PlainKey, style: Style]>> = {
  added: ['diff.added', 'green'],
  removed: ['diff.removed', 'red'],
  changed: ['diff.changed', 'yellow'],
};

async function showDiff({ io, options, args }: Call): Promise<ExitCode> {
  const { diffMachine } = await import('../../index.ts');
  const diff = await diffMachine(args[0] ?? '', { env: io.env, ignoreRemains: options.flag('ignoreRemains') });
  const format = options.text('output') as Format;
  if (format === 'json' || format === 'yaml') printValue(io, format, diff);
  else print(io, format, diff);
  for (const { section, reason } of diff.unseen) {
    io.note(io.paintNote('yellow', io.say('diff.unseen', { section, reason })));
  }
  // What was not looked at may differ: it is never taken for equal.
  const isEqual = diff.differences.length === 0 && diff.unseen.length === 0;
  return options.flag('detailedExitcode') && !isEqual ? 2 : 0;
}

function print(io: Io, format: Format, { differences, since, remains }: MachineDiff): void {
  const { say } = io;
  const rows = foldTrees(differences);
  const time = timeText(Date.parse(since));
  if (rows.length > 0) {
    printRows<DiffRow>(io, format, rows, {
      columns: [
        {
          title: say('col.change'),
          cell: ({ difference }) => say(CHANGES[difference.change][0]),
          style: ({ difference }) => CHANGES[difference.change][1],
        },
        { title: say('col.section'), cell: ({ difference }) => difference.section },
        { title: say('col.what'), cell: ({ difference }) => difference.key },
        { title: say('col.difference'), cell: (row) => differenceText(row, say, format === 'wide') },
      ],
      name: ({ difference }) => `${difference.section} ${difference.key}`,
      value: ({ difference }) => difference,
    });
  }
  const n = differences.length;
  if (n === 0) io.note(say('diff.none', { since: time }));
  else io.note('', n === 1 ? say('diff.count.one', { since: time }) : say('diff.count.many', { n, since: time }));
  if (remains > 0) io.note(say('diff.remains', { n: remains }));
}
