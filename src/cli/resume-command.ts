import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventSink, RunRecord } from '../index.ts';
import type { ClusterChoice } from './choose-cluster.ts';
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

const KEPT = 'command.json';

/** Keeps the words beside the run as soon as it has begun, so that they are known even if nobody sees its end. */
export function keepCommand(argv: readonly string[], runDir: (cluster: string, run: string) => string): EventSink {
  return (event) => {
    if (event.type !== 'run-started' || event.dryRun || event.resumed) return;
    try {
      writeFileSync(join(runDir(event.cluster, event.run), KEPT), `${JSON.stringify({ argv })}\n`, { mode: 0o600 });
    } catch {
      // Without it `describe run` shows the command without its flags.
    }
  };
}

/** The command that goes on with a run of which only the record is known. */
export async function resumeOfRun(record: RunRecord, runDir: string, { env }: Io): Promise<string> {
  const argv = keptWords(join(runDir, KEPT));
  if (argv) return resumeCommand(argv, record.id);
  const { readContexts } = await import('../index.ts');
  const context = readContexts(env).contexts.find((one) => one.name === record.cluster);
  return resumeCommand([...record.pipeline.split(' '), '-f', context?.configFile ?? 'config.yaml'], record.id);
}

function keptWords(file: string): readonly string[] | undefined {
  try {
    const { argv } = JSON.parse(readFileSync(file, 'utf8')) as { argv?: unknown };
    return Array.isArray(argv) && argv.every((word) => typeof word === 'string') ? argv : undefined;
  } catch {
    return undefined;
  }
}

/** The words that say which cluster is meant, for a command to be typed next: without its `-e` the file is another cluster. */
export function clusterWords({ configFile, lab, overrides = [] }: ClusterChoice): string {
  const place = lab === undefined ? ['-f', configFile] : ['--lab', lab];
  return [...place, ...overrides.flatMap((field) => ['-e', field])].map(shellWord).join(' ');
}

/** A word as a shell needs it to be typed. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
