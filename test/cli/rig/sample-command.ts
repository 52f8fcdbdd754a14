import type { CommandSpec } from '../../../src/cli/command-spec.ts';
import { commands } from '../../../src/cli/commands/index.ts';
import { executePipeline } from '../../../src/cli/pipeline-command.ts';
import { addRunOptions, runFlags } from '../../../src/cli/run-options.ts';
import { samplePipeline } from '../../integration/pipeline.ts';

/** All commands and one more: a pipeline of real steps. */
export const sampleCommands: readonly CommandSpec[] = [
  ...commands,
  addRunOptions({
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
        jobSeconds: call.options.number('jobSeconds') ?? 0,
        failOn: call.options.text('failOn') ?? '',
      };
      return executePipeline(samplePipeline, params, await runFlags(call), call.io);
    },
  }),
];
