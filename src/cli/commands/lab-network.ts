import type { CommandSpec } from '../command-spec.ts';
import { delayOf } from '../lab/amounts.ts';
import { durationText } from '../output/duration.ts';

const argument = { name: '<machine>', text: 'arg.machine', kind: 'machine' } as const;

/** `kubexm lab partition` */
export const labPartitionCommand: CommandSpec = {
  path: 'lab partition',
  summary: 'cmd.lab-partition',
  examples: [{ line: 'kubexm lab partition t-2', text: 'ex.lab-partition' }],
  arguments: [argument],
  action: async ({ io, args }) => {
    const { partitionMachine } = await import('../../index.ts');
    const { name: machine } = await partitionMachine(args[0] ?? '', { env: io.env });
    io.note(io.say('lab.partitioned', { machine }));
    return 0;
  },
};

/** `kubexm lab heal` */
export const labHealCommand: CommandSpec = {
  path: 'lab heal',
  summary: 'cmd.lab-heal',
  examples: [{ line: 'kubexm lab heal t-2', text: 'ex.lab-heal' }],
  arguments: [argument],
  action: async ({ io, args }) => {
    const { healMachine } = await import('../../index.ts');
    const { name: machine } = await healMachine(args[0] ?? '', { env: io.env });
    io.note(io.say('lab.healed', { machine }));
    return 0;
  },
};

/** `kubexm lab delay` */
export const labDelayCommand: CommandSpec = {
  path: 'lab delay',
  summary: 'cmd.lab-delay',
  details: 'cmd.lab-delay.details',
  examples: [
    { line: 'kubexm lab delay t-2 40ms', text: 'ex.lab-delay' },
    { line: 'kubexm lab delay t-2 0', text: 'ex.lab-delay-off' },
  ],
  arguments: [argument, { name: '<delay>', text: 'arg.delay' }],
  action: async ({ io, args }) => {
    const [name = '', amount = ''] = args;
    const ms = delayOf(amount);
    const { delayMachine } = await import('../../index.ts');
    const { name: machine } = await delayMachine(name, ms, { env: io.env });
    const { say } = io;
    io.note(
      ms === 0 ? say('lab.undelayed', { machine }) : say('lab.delayed', { machine, time: durationText(ms, say) }),
    );
    return 0;
  },
};
