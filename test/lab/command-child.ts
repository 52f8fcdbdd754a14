// Does one thing to a lab, to be killed meanwhile.
import { createLab, deleteLab, rebootMachine, restoreLab, snapshotLab, startLab } from '../../src/lab/index.ts';

const commands: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
  create: (name) => createLab({ name, machines: 2 }, { progress: (event) => console.log(JSON.stringify(event)) }),
  delete: (name) => deleteLab(name),
  reboot: (name) => rebootMachine({ lab: name, name: `${name}-1` }),
  restore: (name) => restoreLab(name),
  snapshot: (name) => snapshotLab(name),
  start: (name) => startLab(name),
};

const [command = '', name = ''] = process.argv.slice(2);
await commands[command]?.(name);
