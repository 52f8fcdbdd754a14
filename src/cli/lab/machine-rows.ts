import type { Lab, LabMachine } from '../../index.ts';
import type { Io } from '../io.ts';
import type { Style } from '../output/color.ts';
import { printRows, printValue } from '../output/print-data.ts';
import type { Format } from '../shared-options.ts';
import type { PlainKey } from '../texts/index.ts';
import { memoryText } from './amounts.ts';

interface Row {
  readonly lab: Lab;
  readonly machine: LabMachine;
}

const STATES: Readonly<Record<LabMachine['state'], readonly [text: PlainKey, style: Style]>> = {
  running: ['lab.state.running', 'green'],
  starting: ['lab.state.starting', 'cyan'],
  stopped: ['lab.state.stopped', 'yellow'],
  missing: ['lab.state.missing', 'red'],
};

/** Labs in any of the formats: a line per machine for people, labs with their machines for programs. */
export function printLabs(io: Io, format: Format, labs: readonly Lab[]): void {
  if (format === 'json' || format === 'yaml') {
    printValue(io, format, labs);
    return;
  }
  const { say } = io;
  const rows = labs.flatMap((lab) => lab.machines.map((machine): Row => ({ lab, machine })));
  printRows<Row>(io, format, rows, {
    columns: [
      { title: say('col.machine'), cell: ({ machine }) => machine.name },
      { title: say('col.lab'), cell: ({ lab }) => lab.name },
      {
        title: say('col.state'),
        cell: ({ machine }) => say(STATES[machine.state][0]),
        style: ({ machine }) => STATES[machine.state][1],
      },
      { title: say('col.address'), cell: ({ machine }) => machine.address },
      { title: say('col.network'), cell: ({ machine }) => networkText(io, machine) },
      { title: say('col.user'), cell: ({ machine }) => machine.user },
      { title: say('col.image'), cell: ({ lab }) => lab.image },
      {
        title: say('col.memory'),
        cell: ({ lab }) => (lab.memoryBytes === undefined ? '' : memoryText(lab.memoryBytes)),
        align: 'right',
        wide: true,
      },
      { title: say('col.subnet'), cell: ({ lab }) => lab.subnet, wide: true },
      { title: say('col.snapshots'), cell: ({ lab }) => lab.snapshots.join(', '), wide: true },
      { title: say('col.directory'), cell: ({ machine }) => machine.dir, wide: true },
    ],
    name: ({ machine }) => machine.name,
    value: ({ machine }) => machine,
  });
}

function networkText({ say }: Io, { partitioned, delayMs }: LabMachine): string {
  if (partitioned) return say('lab.network.partitioned');
  return delayMs > 0 ? say('lab.network.delayed', { ms: delayMs }) : say('lab.network.plugged');
}
