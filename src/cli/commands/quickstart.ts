import type { ExitCode } from '../../index.ts';
import { cliError } from '../cli-error.ts';
import type { Call, CommandSpec } from '../command-spec.ts';

/** `kubexm quickstart` */
export const quickstartCommand: CommandSpec = {
  path: 'quickstart',
  summary: 'cmd.quickstart',
  details: 'cmd.quickstart.details',
  examples: [
    { line: 'kubexm quickstart', text: 'ex.quickstart' },
    { line: 'kubexm quickstart --nodes 4', text: 'ex.quickstart-nodes' },
    { line: 'kubexm quickstart --delete', text: 'ex.quickstart-delete' },
  ],
  options: [
    { flags: '--nodes <count>', text: 'opt.quickstart-nodes', number: true },
    { flags: '--kubernetes <version>', text: 'opt.quickstart-kubernetes' },
    { flags: '--delete', text: 'opt.quickstart-delete' },
  ],
  action: quickstart,
};

async function quickstart({ io, options }: Call): Promise<ExitCode> {
  const [nodes, version] = [options.number('nodes'), options.text('kubernetes')];
  if (!options.flag('delete')) {
    const { runQuickstart } = await import('../quickstart/run.ts');
    return runQuickstart(io, { nodes, version });
  }
  const other = nodes !== undefined ? '--nodes' : version !== undefined ? '--kubernetes' : undefined;
  if (other !== undefined) throw cliError('KX1008', { first: '--delete', second: other });
  const { removeQuickstart } = await import('../quickstart/remove.ts');
  await removeQuickstart(io);
  return 0;
}
