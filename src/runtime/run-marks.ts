import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Replay, readJournal } from '../engine/journal.ts';
import { LOCAL } from '../model/host.ts';

/** The step that begins a cluster: what is configured before it is in the cluster after it. */
export const BEGINNING = 'kubernetes/init/init';

/** What a run did to a cluster, by its journal. */
export interface RunMarks {
  readonly run: string;
  readonly pipeline: string;
  /** How it ended; undefined while nobody knows. */
  readonly ended: string | undefined;
  /** It was about the whole pipeline: no tags, no single task. */
  readonly whole: boolean;
  /** It changed something on a host that it did not put back. */
  readonly changed: boolean;
  /** The cluster began in it, or had begun, or may have: kubexm or the host were gone before the end of it was known. */
  readonly begun: boolean;
}

/** Reads what a run did; undefined where it has no journal, or none that can be read. */
export function runMarks(runs: string, run: string): RunMarks | undefined {
  try {
    const { replay } = readJournal(join(runs, run, 'journal.jsonl'));
    const { pipeline } = replay.header;
    const whole = pipeline !== 'run task' && !selects(join(runs, run, 'selection.json'));
    return { run, pipeline, ended: replay.ended, whole, changed: changedHost(replay), begun: hasBegun(replay) };
  } catch {
    return undefined;
  }
}

function selects(file: string): boolean {
  const { tags, skipTags } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, readonly string[] | undefined>;
  return [tags, skipTags].some((words) => words !== undefined && words.length > 0);
}

/** Preflight starts listeners that go by themselves; what is on the local machine is nobody's cluster. */
function changedHost({ applied, last }: Replay): boolean {
  return [...applied.keys()].some(
    (node) => !node.startsWith('preflight/') && !node.endsWith(`@${LOCAL}`) && last.get(node)?.phase !== 'ran',
  );
}

function hasBegun({ last, applied }: Replay): boolean {
  return [...last].some(([node, { phase }]) => {
    if (!node.startsWith(`${BEGINNING}@`)) return false;
    if (phase === 'intent' || phase === 'unknown') return applied.has(node);
    return phase === 'satisfied' || phase === 'applied' || phase === 'done';
  });
}
