import { cliError } from '../cli-error.ts';
import type { CommandSpec } from '../command-spec.ts';

/** `kubexm config use-context NAME` */
export const configUseContextCommand: CommandSpec = {
  path: 'config use-context',
  summary: 'cmd.config-use-context',
  examples: [{ line: 'kubexm config use-context prod', text: 'ex.use-context' }],
  arguments: [{ name: '<name>', text: 'arg.context', kind: 'context' }],
  action: async ({ io, args }) => {
    const { readContexts, useContext } = await import('../../index.ts');
    const name = args[0] ?? '';
    const among = readContexts(io.env).contexts.map((context) => context.name);
    if (!among.includes(name)) {
      throw cliError('KX1021', { name, names: among.join(', ') || '–' }, { similar: { word: name, among } });
    }
    useContext(io.env, name);
    io.note(io.say('contexts.used', { name }));
    return 0;
  },
};
