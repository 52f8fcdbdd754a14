import { resolve } from 'node:path';
import type { CreateClusterParams, SavedPlan } from '../../index.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import { createByFlags } from '../creation.ts';
import { runFlags, sshOptions } from '../run-options.ts';

/** `kubexm apply PLAN` */
export const applyPlanCommand: CommandSpec = {
  path: 'apply',
  summary: 'cmd.apply',
  details: 'cmd.apply.details',
  examples: [
    { line: 'kubexm apply plan.json', text: 'ex.apply' },
    { line: 'kubexm apply plan.json --yes', text: 'ex.apply-yes' },
  ],
  arguments: [{ name: '<plan>', text: 'arg.plan', kind: 'file' }],
  options: [
    { flags: '-f, --file <path>', text: 'opt.apply-file', kind: 'file' },
    { flags: '--dry-run', text: 'opt.dry-run' },
    { flags: '--resume [run]', text: 'opt.resume', kind: 'run' },
    { flags: '--on-failure <what>', text: 'opt.on-failure', choices: ['rollback', 'keep'], default: 'rollback' },
    ...sshOptions,
    { flags: '--detailed-exitcode', text: 'opt.detailed-exitcode' },
    { flags: '-o, --output <view>', text: 'opt.view', choices: ['auto', 'live', 'plain', 'json'], default: 'auto' },
  ],
  action: apply,
};

async function apply(call: Call) {
  const { io, options, args } = call;
  const { exactly, readSavedPlan } = await import('../../index.ts');
  const [shown = ''] = args;
  const saved = readSavedPlan(resolve(io.cwd, shown));
  const file = options.text('file');
  const configFile = file === undefined ? saved.configFile : resolve(io.cwd, file);
  const flags = { ...(await runFlags(call, { configFile, baseDir: saved.baseDir })), overrides: saved.overrides };
  // A run that is gone on with is checked against the plan that it began with.
  const planning = flags.resume === false ? exactly(saved, shown) : {};
  return createByFlags(io, { ...flags, planning }, paramsOf(saved));
}

function paramsOf({ params }: SavedPlan): CreateClusterParams {
  return { skipPreflight: (params as Partial<CreateClusterParams> | null)?.skipPreflight === true };
}
