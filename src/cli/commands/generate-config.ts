import { resolve } from 'node:path';
import type { CommandSpec } from '../command-spec.ts';
import { writeNew } from '../write-new.ts';

/** `kubexm generate config` */
export const generateConfigCommand: CommandSpec = {
  path: 'generate config',
  summary: 'cmd.generate-config',
  details: 'cmd.generate-config.details',
  examples: [
    { line: 'kubexm generate config -o config.yaml', text: 'ex.generate-config' },
    { line: 'kubexm generate config --nodes 5', text: 'ex.generate-config-nodes' },
    { line: 'kubexm generate config --full > all-fields.yaml', text: 'ex.generate-config-full' },
  ],
  options: [
    { flags: '--full', text: 'opt.full' },
    { flags: '--nodes <count>', text: 'opt.nodes-count', number: true },
    { flags: '-o, --output <file>', text: 'opt.output-file', kind: 'file' },
    { flags: '--force', text: 'opt.force' },
  ],
  action: async ({ io, options }) => {
    const { exampleConfig } = await import('../../index.ts');
    const nodes = options.number('nodes');
    const text = exampleConfig({ full: options.flag('full'), ...(nodes === undefined ? {} : { nodes }) });
    const file = options.text('output');
    if (file === undefined || file === '-') io.stdout.write(text);
    else {
      writeNew(resolve(io.cwd, file), file, text, options.flag('force'));
      io.note(io.say('config.written', { file }), `  kubexm validate config -f ${file}`);
    }
    return 0;
  },
};
