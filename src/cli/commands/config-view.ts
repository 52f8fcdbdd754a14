import type { CommandSpec } from '../command-spec.ts';
import { printValue } from '../output/print-data.ts';
import { outputOption } from '../shared-options.ts';

/** `kubexm config view` */
export const configViewCommand: CommandSpec = {
  path: 'config view',
  summary: 'cmd.config-view',
  details: 'cmd.config-view.details',
  examples: [{ line: 'kubexm config view', text: 'ex.config-view' }],
  options: [outputOption(['yaml', 'json'], 'yaml')],
  action: async ({ io, options }) => {
    const { contextsFile, readContexts } = await import('../../index.ts');
    const { current, contexts } = readContexts(io.env);
    const value = {
      file: contextsFile(io.env),
      language: io.lang,
      currentContext: current ?? null,
      contexts: contexts.map(({ name, configFile, baseDir }) => ({ name, configFile, baseDir })),
    };
    printValue(io, options.text('output') === 'json' ? 'json' : 'yaml', value);
    return 0;
  },
};
