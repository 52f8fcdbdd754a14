import type { LabMachine, LabOptions } from '../../index.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import { machinesNamed, withLab } from '../lab/with-lab.ts';

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
    const { startMachine } = await import('../../index.ts');
    const machines = await eachMachine(call, startMachine);
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
    const { stopMachine } = await import('../../index.ts');
    const machines = await eachMachine(call, stopMachine);
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
    const { rebootMachine } = await import('../../index.ts');
    const machines = await eachMachine(call, rebootMachine);
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
    const { cutMachine } = await import('../../index.ts');
    const machines = await eachMachine(call, cutMachine);
    call.io.note(call.io.say('lab.cut', { machines }));
    return 0;
  },
};

/** Does the same to every machine that is meant, all at once, and names them. */
async function eachMachine(
  { io, args }: Call,
  act: (machine: LabMachine, options: LabOptions) => Promise<LabMachine>,
): Promise<string> {
  const machines = await machinesNamed(io, args[0] ?? '');
  await withLab(io, machines[0].lab, (options) => Promise.all(machines.map((machine) => act(machine, options))));
  return machines.map((machine) => machine.name).join(', ');
}
