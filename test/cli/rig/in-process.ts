// What tests call of the command line without starting it, as one bundle: `call` in cli.ts loads it.
export { runCli } from '../../../src/cli/entry.ts';
export { sampleCommands } from './sample-command.ts';
