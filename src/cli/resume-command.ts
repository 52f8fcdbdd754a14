import type { RunRecord } from '../index.ts';
import type { Io } from './io.ts';

/** The words that were typed, changed so that they go on with a run. */
export function resumeCommand(argv: readonly string[], run: string): string {
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  const rest = end < 0 ? [] : argv.slice(end);
  const kept = own.filter((word, i) => {
    if (word === '--resume' || word.startsWith('--resume=')) return false;
    return !(own[i - 1] === '--resume' && !word.startsWith('-'));
  });
  return ['kubexm', ...kept, '--resume', run, ...rest].map(shellWord).join(' ');
}

/** The command that goes on with a run of which only the record is known. */
export async function resumeOfRun(record: RunRecord, { env }: Io): Promise<string> {
  const { readContexts } = await import('../index.ts');
  const context = readContexts(env).contexts.find((one) => one.name === record.cluster);
  const file = context === undefined ? ['-f', 'config.yaml'] : ['-f', context.configFile];
  return ['kubexm', ...record.pipeline.split(' '), ...file, '--resume', record.id].map(shellWord).join(' ');
}

/** A word as a shell needs it to be typed. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
