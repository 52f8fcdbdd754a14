import type { CommandSpec } from '../command-spec.ts';
import { withLab } from '../lab/with-lab.ts';

/** `kubexm lab delete` */
export const labDeleteCommand: CommandSpec = {
  path: 'lab delete',
  summary: 'cmd.lab-delete',
  details: 'cmd.lab-delete.details',
  examples: [{ line: 'kubexm lab delete t', text: 'ex.lab-delete' }],
  arguments: [{ name: '<name>', text: 'arg.lab', kind: 'lab' }],
  action: async ({ io, args }) => {
    const lab = args[0] ?? '';
    const { deleteLab } = await import('../../index.ts');
    const found = await withLab(io, lab, (options) => deleteLab(lab, options));
    io.note(found ? io.say('lab.deleted', { lab }) : io.say('lab.absent', { lab }));
    return 0;
  },
};
