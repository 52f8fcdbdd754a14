import type { ExitCode } from '../../index.ts';
import { askPerson } from '../ask.ts';
import type { Call, CommandSpec } from '../command-spec.ts';
import { bytesText } from '../output/duration.ts';

/** `kubexm prune artifacts` */
export const pruneArtifactsCommand: CommandSpec = {
  path: 'prune artifacts',
  summary: 'cmd.prune-artifacts',
  details: 'cmd.prune-artifacts.details',
  examples: [
    { line: 'kubexm prune artifacts --dry-run', text: 'ex.prune-artifacts' },
    { line: 'kubexm prune artifacts --yes', text: 'ex.prune-artifacts-yes' },
  ],
  options: [{ flags: '--dry-run', text: 'opt.dry-run' }],
  action: prune,
};

async function prune({ io, options }: Call): Promise<ExitCode> {
  const { artifactCacheDir, pruneArtifacts } = await import('../../index.ts');
  const dir = artifactCacheDir(io.env);
  const would = await pruneArtifacts(dir, { dryRun: true });
  const { say } = io;
  if (would.files === 0) {
    io.note(say('prune.nothing', { files: would.kept.files, size: bytesText(would.kept.bytes) }));
    return 0;
  }
  io.note(say('prune.would', { files: would.files, size: bytesText(would.bytes) }));
  if (options.flag('dryRun')) return 0;
  if ((await askPerson({ text: say('prune.question'), confirm: true }, io)) !== 'yes') return 0;
  const done = await pruneArtifacts(dir, { dryRun: false });
  io.note(say('prune.done', { files: done.files, size: bytesText(done.bytes), kept: bytesText(done.kept.bytes) }));
  return 0;
}
