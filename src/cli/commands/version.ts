import manifest from '../../../package.json' with { type: 'json' };
import type { CommandSpec } from '../command-spec.ts';
import { printValue } from '../output/print-data.ts';
import { fieldLines } from '../output/table.ts';
import { allFormats, type Format, outputOption } from '../shared-options.ts';

/** `kubexm version` */
export const versionCommand: CommandSpec = {
  path: 'version',
  summary: 'cmd.version',
  examples: [
    { line: 'kubexm version', text: 'ex.version' },
    { line: 'kubexm version -o json', text: 'ex.version-json' },
  ],
  options: [outputOption(allFormats, 'table')],
  action: async ({ io, options }) => {
    const format = options.text('output') as Format;
    const value = {
      version: manifest.version,
      node: process.versions.node,
      platform: `${process.platform}/${process.arch}`,
    };
    if (format === 'json' || format === 'yaml') printValue(io, format, value);
    else if (format === 'name') io.print(value.version);
    else if (format === 'wide')
      io.print(
        ...fieldLines(
          [
            ['kubexm', value.version],
            ['node', value.node],
            ['platform', value.platform],
          ],
          io.paint,
        ),
      );
    else io.print(`kubexm ${value.version}`);
    return 0;
  },
};
