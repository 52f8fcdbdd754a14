import { readFileSync } from 'node:fs';
import { kubexmError } from '../model/errors/index.ts';
import type { Mark } from '../model/mark.ts';
import type { JournalRecord, NodeRecord, Phase, RunHeader, RunRecord } from './record.ts';

/** What earlier processes of the same run noted. */
export interface Replay {
  readonly header: RunHeader;
  /** The last record of each node, by id. */
  readonly last: ReadonlyMap<string, NodeRecord>;
  /** Nodes that changed something and were not put back, oldest first, with their first intent. */
  readonly applied: ReadonlyMap<string, NodeRecord>;
  /** Those of them of which an earlier process knew that the machine was changed. */
  readonly changed: ReadonlySet<string>;
  /** Tries whose end nobody noted: their jobs may still be on the hosts. */
  readonly open: ReadonlyMap<string, number>;
  /** The highest number of a node's tries so far. */
  readonly attempts: ReadonlyMap<string, number>;
  /** What the success of nodes means, by id. */
  readonly marks: ReadonlyMap<string, Mark>;
  readonly ended: string | undefined;
}

/** After these the try's end is known: its job has ended, and its result was taken. */
const CLOSING: ReadonlySet<Phase> = new Set(['satisfied', 'done', 'ran', 'failed', 'reverting', 'reverted', 'dirty']);

/** Reads a journal. A torn last line is what a crash leaves; damage elsewhere is an error. `length`: without that line. */
export function readJournal(file: string): { readonly replay: Replay; readonly length: number } {
  const bytes = readFileSync(file);
  const length = bytes.lastIndexOf(0x0a) + 1;
  const lines = bytes.toString('utf8', 0, Math.max(0, length - 1)).split('\n');
  const [header, ...rest] = lines.map((line, i) => parseLine(file, line, i));
  if (!header || (header as { version?: unknown }).version !== 1) {
    throw kubexmError('KX4012', { file, detail: 'it has no header' });
  }
  const records = rest.map((line, i) => asRecord(file, line, i + 1));
  return { replay: replayOf(header as unknown as RunHeader, records), length };
}

/** What records come to, in their order. */
export function replayOf(header: RunHeader, records: readonly JournalRecord[]): Replay {
  const last = new Map<string, NodeRecord>();
  const applied = new Map<string, NodeRecord>();
  const changed = new Set<string>();
  const open = new Map<string, number>();
  const attempts = new Map<string, number>();
  const marks = new Map<string, Mark>();
  let ended: string | undefined;
  for (const record of records) {
    if (record.node === 'run') {
      ended = record.phase === 'ended' ? (record as RunRecord).outcome : undefined;
      continue;
    }
    const entry = record as NodeRecord;
    const { node, phase, attempt } = entry;
    last.set(node, entry);
    if (entry.mark !== undefined) marks.set(node, entry.mark);
    if (phase === 'intent') {
      if (!applied.has(node)) applied.set(node, entry);
      open.set(node, attempt ?? 1);
      attempts.set(node, Math.max(attempts.get(node) ?? 0, attempt ?? 1));
    } else if (CLOSING.has(phase)) {
      open.delete(node);
    }
    if (phase === 'applied' || phase === 'done') changed.add(node);
    if (phase === 'reverted') {
      applied.delete(node);
      changed.delete(node);
    }
  }
  return { header, last, applied, changed, open, attempts, marks, ended };
}

function parseLine(file: string, line: string, index: number): object {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (index === 0 && line === '') throw kubexmError('KX4012', { file, detail: 'it has no header' });
    throw kubexmError('KX4012', { file, detail: `line ${index + 1} is not JSON` }, { cause: error });
  }
  if (typeof value === 'object' && value !== null) return value;
  throw kubexmError('KX4012', { file, detail: `line ${index + 1} is no record` });
}

function asRecord(file: string, line: object, index: number): JournalRecord {
  const { node, phase } = line as Partial<JournalRecord>;
  if (typeof node === 'string' && typeof phase === 'string') return line as JournalRecord;
  throw kubexmError('KX4012', { file, detail: `line ${index + 1} is no record` });
}
