import { resolve } from 'node:path';
import type { CommandSpec } from '../command-spec.ts';
import { writeNew } from '../write-new.ts';

/** `kubexm lab config` */
export const labConfigCommand: CommandSpec = {
  path: 'lab config',
  summary: 'cmd.lab-config',
  details: 'cmd.lab-config.details',
  examples: [
    { line: 'kubexm lab config t', text: 'ex.lab-config' },
    { line: 'kubexm lab config t -o config.yaml', text: 'ex.lab-config-file' },
  ],
  arguments: [{ name: '<name>', text: 'arg.lab', kind: 'lab' }],
  options: [
    { flags: '-o, --output <file>', text: 'opt.output-file', kind: 'file' },
    { flags: '--force', text: 'opt.force' },
  ],
  action: async ({ io, options, args }) => {
    const { labConfig, openLab } = await import('../../index.ts');
    const text = labConfig(await openLab(args[0] ?? '', { env: io.env }));
    const file = options.text('output');
    if (file === undefined || file === '-') io.stdout.write(text);
    else {
      writeNew(resolve(io.cwd, file), file, text, options.flag('force'));
      io.note(io.say('lab.configWritten', { file }));
    }
    return 0;
  },
};
