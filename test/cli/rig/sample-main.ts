import { runCli } from '../../../src/cli/entry.ts';
import { sampleCommands } from './sample-command.ts';

// The command line with one more command, as a process.
const { stdin, stdout, stderr, env } = process;
process.removeAllListeners('warning');
process.exit(await runCli(process.argv.slice(2), { stdin, stdout, stderr, env, cwd: process.cwd() }, sampleCommands));
