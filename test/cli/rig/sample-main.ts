import { commands } from '../../../src/cli/commands/index.ts';
import { runCli } from '../../../src/cli/run-cli.ts';
import { addRunOptions, runFlags } from '../../../src/cli/run-options.ts';
import { executePipeline } from '../../../src/cli/run-pipeline.ts';
import { samplePipeline } from '../../integration/pipeline.ts';

// The command line with one more command: a pipeline of real steps, as later commands will be.
const sample = addRunOptions({
  path: 'test sample',
  summary: 'cmd.version',
  examples: [],
  options: [
    { flags: '--root <path>', text: 'opt.file' },
    { flags: '--job-seconds <count>', text: 'opt.limit', number: true },
    { flags: '--fail-on <host>', text: 'opt.host' },
  ],
  action: async (call) => {
    const params = {
      root: call.options.text('root') ?? '/tmp/sample',
      jobSeconds: call.options.number('jobSeconds') ?? 1,
      failOn: call.options.text('failOn') ?? '',
    };
    return executePipeline(samplePipeline, params, await runFlags(call), call.io);
  },
});

const { stdin, stdout, stderr, env } = process;
process.removeAllListeners('warning');
process.exit(
  await runCli(process.argv.slice(2), { stdin, stdout, stderr, env, cwd: process.cwd() }, [...commands, sample]),
);
