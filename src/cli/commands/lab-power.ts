import type { Lab, LabMachine, LabOptions } from '../../index.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import { namedMachines, withLab } from '../lab/with-lab.ts';

const argument = { name: '<machine>', text: 'arg.machine-or-lab', kind: 'machine-or-lab' } as const;

/** `kubexm lab start` */
export const labStartCommand: CommandSpec = {
  path: 'lab start',
  summary: 'cmd.lab-start',
  examples: [
    { line: 'kubexm lab start t-2', text: 'ex.lab-start' },
    { line: 'kubexm lab start t', text: 'ex.lab-start-all' },
  ],
  arguments: [argument],
  action: async (call) => {
    const { startLab, startMachine } = await import('../../index.ts');
    const machines = await onMeant(call, startLab, startMachine);
    call.io.note(call.io.say('lab.started', { machines }));
    return 0;
  },
};

/** `kubexm lab stop` */
export const labStopCommand: CommandSpec = {
  path: 'lab stop',
  summary: 'cmd.lab-stop',
  examples: [
    { line: 'kubexm lab stop t-2', text: 'ex.lab-stop' },
    { line: 'kubexm lab stop t', text: 'ex.lab-stop-all' },
  ],
  arguments: [argument],
  action: async (call) => {
    const { stopLab, stopMachine } = await import('../../index.ts');
    const machines = await onMeant(call, stopLab, stopMachine);
    call.io.note(call.io.say('lab.stopped', { machines }));
    return 0;
  },
};

/** `kubexm lab reboot` */
export const labRebootCommand: CommandSpec = {
  path: 'lab reboot',
  summary: 'cmd.lab-reboot',
  examples: [{ line: 'kubexm lab reboot t-2', text: 'ex.lab-reboot' }],
  arguments: [argument],
  action: async (call) => {
    const { rebootLab, rebootMachine } = await import('../../index.ts');
    const machines = await onMeant(call, rebootLab, rebootMachine);
    call.io.note(call.io.say('lab.rebooted', { machines }));
    return 0;
  },
};

/** `kubexm lab cut` */
export const labCutCommand: CommandSpec = {
  path: 'lab cut',
  summary: 'cmd.lab-cut',
  details: 'cmd.lab-cut.details',
  examples: [{ line: 'kubexm lab cut t-2', text: 'ex.lab-cut' }],
  arguments: [argument],
  action: async (call) => {
    const { cutLab, cutMachine } = await import('../../index.ts');
    const machines = await onMeant(call, cutLab, cutMachine);
    call.io.note(call.io.say('lab.cut', { machines }));
    return 0;
  },
};

/** Does it to the machine that is meant, or to all of a lab at once, and names them. */
async function onMeant(
  { io, args }: Call,
  all: (lab: string, options: LabOptions) => Promise<Lab>,
  one: (machine: LabMachine, options: LabOptions) => Promise<LabMachine>,
): Promise<string> {
  const meant = await namedMachines(io, args[0] ?? '');
  const machines = await withLab(io, meant.lab, async (options) =>
    meant.machine === undefined ? (await all(meant.lab, options)).machines : [await one(meant.machine, options)],
  );
  return machines.map((machine) => machine.name).join(', ');
}
