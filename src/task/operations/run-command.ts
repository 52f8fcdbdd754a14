import { on } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { type AdHocCommand, adHocCommand } from '../../step/operations.ts';

/** What is run, and where. */
export interface RunCommandInputs extends AdHocCommand {
  readonly nodes: readonly string[];
}

/** Runs one command on chosen hosts, all at once. */
export const runCommandTask = defineTask<RunCommandInputs>({
  name: 'operations/run-command',
  description: 'Run one command on chosen hosts.',
  tags: ['command'],
  steps: [adHocCommand],
  plan: (context, inputs) => {
    const hosts = context.hosts.filter((host) => inputs.nodes.includes(host.name));
    return on(hosts, adHocCommand(inputs));
  },
});
