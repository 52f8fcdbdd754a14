/** Changes hosts, or resets them, in a process of its own, so that tests can kill it. Prints one JSON line for each of its words. */
import { runChanges } from './manifest-run.ts';

const print = (value: object) => void process.stdout.write(`${JSON.stringify(value)}\n`);
process.exitCode = await runChanges(process.argv.slice(2), print);
