import type { CommandSpec } from '../command-spec.ts';
import { clusterOptions } from '../shared-options.ts';

/** `kubexm unlock` */
export const unlockCommand: CommandSpec = {
  path: 'unlock',
  summary: 'cmd.unlock',
  details: 'cmd.unlock.details',
  examples: [
    { line: 'kubexm unlock -f config.yaml', text: 'ex.unlock' },
    { line: 'kubexm unlock -f config.yaml --nodes node1,node2 --yes', text: 'ex.unlock-nodes' },
  ],
  options: [...clusterOptions],
  action: async () => 0,
};
