/** Runs the sample pipeline in a process of its own, so that tests can kill it. Prints one JSON line for each of its words. */
import { runSample } from './drive-run.ts';

const drain = new AbortController();
const stop = new AbortController();
process.on('SIGINT', () => (drain.signal.aborted ? stop.abort() : drain.abort()));
const print = (value: object) => void process.stdout.write(`${JSON.stringify(value)}\n`);
process.exitCode = await runSample(process.argv.slice(2), print, { drain: drain.signal, stop: stop.signal });
