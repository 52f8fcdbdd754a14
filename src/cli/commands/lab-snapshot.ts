import type { CommandSpec } from '../command-spec.ts';
import { withLab } from '../lab/with-lab.ts';

const argument = { name: '<name>', text: 'arg.lab', kind: 'lab' } as const;

/** `kubexm lab snapshot` */
export const labSnapshotCommand: CommandSpec = {
  path: 'lab snapshot',
  summary: 'cmd.lab-snapshot',
  details: 'cmd.lab-snapshot.details',
  examples: [{ line: 'kubexm lab snapshot t', text: 'ex.lab-snapshot' }],
  arguments: [argument],
  action: async ({ io, args }) => {
    const lab = args[0] ?? '';
    const { snapshotLab } = await import('../../index.ts');
    await withLab(io, lab, (options) => snapshotLab(lab, options));
    io.note(io.say('lab.snapshotted', { lab }));
    return 0;
  },
};

/** `kubexm lab restore` */
export const labRestoreCommand: CommandSpec = {
  path: 'lab restore',
  summary: 'cmd.lab-restore',
  examples: [{ line: 'kubexm lab restore t', text: 'ex.lab-restore' }],
  arguments: [argument],
  action: async ({ io, args }) => {
    const lab = args[0] ?? '';
    const { restoreLab } = await import('../../index.ts');
    await withLab(io, lab, (options) => restoreLab(lab, options));
    io.note(io.say('lab.restored', { lab }));
    return 0;
  },
};
