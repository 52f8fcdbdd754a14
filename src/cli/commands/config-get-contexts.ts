import type { Context } from '../../index.ts';
import type { CommandSpec } from '../command-spec.ts';
import { printRows } from '../output/print-data.ts';
import { allFormats, type Format, outputOption } from '../shared-options.ts';

/** `kubexm config get-contexts` */
export const configGetContextsCommand: CommandSpec = {
  path: 'config get-contexts',
  summary: 'cmd.config-get-contexts',
  examples: [
    { line: 'kubexm config get-contexts', text: 'ex.get-contexts' },
    { line: 'kubexm config get-contexts -o name', text: 'ex.get-contexts-name' },
  ],
  options: [outputOption(allFormats, 'table')],
  action: async ({ io, options }) => {
    const { readContexts } = await import('../../index.ts');
    const { current, contexts } = readContexts(io.env);
    const format = options.text('output') as Format;
    const isCurrent = (context: Context) => context.name === current;
    if (contexts.length === 0 && (format === 'table' || format === 'wide')) io.note(io.say('contexts.none'));
    else {
      printRows<Context>(io, format, contexts, {
        columns: [
          { title: io.say('col.current'), cell: (context) => (isCurrent(context) ? '*' : ' '), style: () => 'green' },
          {
            title: io.say('col.name'),
            cell: (context) => context.name,
            style: (context) => (isCurrent(context) ? 'bold' : 'plain'),
          },
          { title: io.say('col.file'), cell: (context) => context.configFile },
          { title: io.say('col.directory'), cell: (context) => context.baseDir, wide: true },
        ],
        name: (context) => context.name,
        value: (context) => ({ ...context, current: isCurrent(context) }),
      });
    }
    return 0;
  },
};
