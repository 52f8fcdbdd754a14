import type { CommandSpec } from '../command-spec.ts';
import { printValue } from '../output/print-data.ts';
import { outputOption } from '../shared-options.ts';

/** `kubexm generate schema` */
export const generateSchemaCommand: CommandSpec = {
  path: 'generate schema',
  summary: 'cmd.generate-schema',
  details: 'cmd.generate-schema.details',
  examples: [{ line: 'kubexm generate schema > cluster.schema.json', text: 'ex.generate-schema' }],
  options: [outputOption(['json', 'yaml'], 'json')],
  action: async ({ io, options }) => {
    const { clusterJsonSchema } = await import('../../index.ts');
    printValue(io, options.text('output') === 'yaml' ? 'yaml' : 'json', clusterJsonSchema());
    return 0;
  },
};
