// Does one thing to a lab, to be killed meanwhile. Says `go` when it begins.
import {
  createLab,
  cutLab,
  delayMachine,
  deleteLab,
  execInMachine,
  healMachine,
  partitionMachine,
  rebootLab,
  restoreLab,
  snapshotLab,
  startLab,
  stopLab,
} from '../../src/lab/index.ts';

const first = (name: string) => ({ lab: name, name: `${name}-1` });

const commands: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
  create: (name) => createLab({ name, machines: 2 }, { progress: (event) => console.log(JSON.stringify(event)) }),
  delete: (name) => deleteLab(name),
  start: (name) => startLab(name),
  stop: (name) => stopLab(name),
  reboot: (name) => rebootLab(name),
  cut: (name) => cutLab(name),
  partition: (name) => partitionMachine(first(name)),
  heal: (name) => healMachine(first(name)),
  delay: (name) => delayMachine(first(name), 20),
  snapshot: (name) => snapshotLab(name),
  restore: (name) => restoreLab(name),
  /** Whether one machine reaches another. */
  reach: async (name) => {
    const { machines } = await createLab({ name, machines: 2 });
    const [one, two] = machines;
    if (!one || !two) throw new Error('a lab without machines');
    const connect = `timeout 5 bash -c 'exec 3<>/dev/tcp/${two.address}/22' && echo reached`;
    console.log((await execInMachine(one, connect)).stdout);
    await deleteLab(name);
  },
};

const [command = '', name = ''] = process.argv.slice(2);
console.log('go');
await commands[command]?.(name);
