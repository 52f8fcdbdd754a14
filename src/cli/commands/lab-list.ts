import { printable } from '../../model/text/printable.ts';
import { wrapText } from '../../model/text/width.ts';
import type { CommandSpec } from '../command-spec.ts';
import { printLabs } from '../lab/machine-rows.ts';
import { allFormats, type Format, outputOption } from '../shared-options.ts';

/** `kubexm lab list` */
export const labListCommand: CommandSpec = {
  path: 'lab list',
  summary: 'cmd.lab-list',
  examples: [
    { line: 'kubexm lab list', text: 'ex.lab-list' },
    { line: 'kubexm lab list -o json', text: 'ex.lab-list-json' },
  ],
  options: [outputOption(allFormats, 'table')],
  action: async ({ io, options }) => {
    const { brokenLabs, errorRemedy, errorTitle, listLabs } = await import('../../index.ts');
    const labs = await listLabs({ env: io.env });
    const broken = await brokenLabs({ env: io.env });
    const format = options.text('output') as Format;
    if (labs.length > 0 || format === 'json' || format === 'yaml') printLabs(io, format, labs);
    else if (format !== 'name' && broken.length === 0) io.note(io.say('lab.none'));
    for (const { name: lab, phase } of labs) {
      if (phase === 'partial') io.note(io.paintNote('yellow', io.say('lab.partial', { lab })));
      if (phase === 'restoring') io.note(io.paintNote('yellow', io.say('lab.restoring', { lab })));
    }
    for (const { error } of broken) {
      io.note(
        io.paintNote('yellow', `${error.code} ${printable(errorTitle(error.code, error.params, io.lang))}`),
        ...wrapText(errorRemedy(error.code, error.params, io.lang), io.noteWidth - 2).map((line) => `  ${line}`),
      );
    }
    return 0;
  },
};
