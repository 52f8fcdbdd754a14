import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalRecord } from '../../src/engine/journal.ts';
import type { WorkDir } from '../../src/state/work-dir.ts';

/** A run as its directory keeps it. */
export interface PastRun {
  readonly pipeline?: string;
  /** What the journal has behind its header. Default: the cluster has begun on cp1. */
  readonly records?: readonly JournalRecord[];
  readonly ended?: string;
  readonly tags?: readonly string[];
  readonly config?: unknown;
}

/** The cluster begins on a host, in a step of whatever name. */
export const begun = (host: string): readonly JournalRecord[] => [
  { node: `kubernetes/begin/begin@${host}`, phase: 'intent', attempt: 1, mark: 'cluster-begun' },
  { node: `kubernetes/begin/begin@${host}`, phase: 'applied', attempt: 1 },
  { node: `kubernetes/begin/begin@${host}`, phase: 'done' },
];

/** Writes what a run has left in a work directory. */
export function keepRun(workDir: WorkDir, run: string, past: PastRun = {}): void {
  const { pipeline = 'create cluster', records = begun('cp1'), ended, tags = [], config } = past;
  const dir = join(workDir.runs, run);
  mkdirSync(dir, { recursive: true });
  const header = {
    version: 1,
    run,
    pipeline,
    cluster: 'demo',
    startedAt: new Date(0).toISOString(),
    kubexm: '0',
    configHash: '',
    planHash: '',
  };
  const end = ended === undefined ? [] : [{ node: 'run', phase: 'ended', outcome: ended }];
  const lines = [header, ...records, ...end].map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(join(dir, 'journal.jsonl'), lines.join(''));
  const kept = { selection: { tags, skipTags: [] }, params: null, ...(config === undefined ? {} : { config }) };
  for (const [name, value] of Object.entries(kept)) writeFileSync(join(dir, `${name}.json`), JSON.stringify(value));
}

/** Writes which hosts were changed and not put back. */
export function noteHosts(workDir: WorkDir, hosts: readonly string[]): void {
  writeFileSync(join(workDir.cluster, 'changed-hosts'), hosts.map((host) => `${host}\n`).join(''));
}
