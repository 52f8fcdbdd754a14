import { cliError } from '../cli-error.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import { runFlags } from '../run-options.ts';
import { configOptions } from '../shared-options.ts';

/** `kubexm download artifacts` */
export const downloadArtifactsCommand: CommandSpec = {
  path: 'download artifacts',
  summary: 'cmd.download-artifacts',
  details: 'cmd.download-artifacts.details',
  examples: [
    { line: 'kubexm download artifacts -f config.yaml', text: 'ex.download-artifacts' },
    { line: 'kubexm download artifacts -f config.yaml --dry-run', text: 'ex.download-artifacts-dry' },
    { line: 'KUBEXM_SOURCES=go kubexm download artifacts -f config.yaml', text: 'ex.download-artifacts-go' },
    { line: 'kubexm download artifacts -f config.yaml --update-lock', text: 'ex.download-artifacts-lock' },
  ],
  options: [
    ...configOptions,
    { flags: '--again', text: 'opt.again' },
    { flags: '--update-lock', text: 'opt.update-lock' },
    { flags: '--dry-run', text: 'opt.dry-run' },
    { flags: '--tags <tags>', text: 'opt.tags', list: true, kind: 'tag' },
    { flags: '--detailed-exitcode', text: 'opt.detailed-exitcode' },
    { flags: '-o, --output <view>', text: 'opt.view', choices: ['auto', 'live', 'plain', 'json'], default: 'auto' },
  ],
  action: download,
};

async function download(call: Call) {
  const { io, options } = call;
  const flags = { ...(await runFlags(call)), onFailure: 'keep' as const };
  const forget = options.flag('updateLock') ? 'all' : options.flag('again') ? 'absent' : undefined;
  if (forget !== undefined) {
    if (flags.dryRun)
      throw cliError('KX1008', { first: '--dry-run', second: `--${forget === 'all' ? 'update-lock' : 'again'}` });
    const { forgetArtifacts } = await import('../../index.ts');
    await forgetArtifacts(flags, forget);
  }
  const { downloadArtifacts } = await import('../../index.ts');
  const { executePipeline } = await import('../pipeline-command.ts');
  return executePipeline(downloadArtifacts, undefined, flags, io);
}
