import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Facts } from '../model/facts.ts';
import type { WorkDir } from './work-dir.ts';

const RUNS_LOOKED_AT = 20;

/** What was read from each host the last time: of the newest run that knows it. */
export function lastFacts(workDir: WorkDir, names: readonly string[]): ReadonlyMap<string, Facts> {
  const found = new Map<string, Facts>();
  const runs = existsSync(workDir.runs) ? readdirSync(workDir.runs).sort().reverse() : [];
  for (const run of runs.slice(0, RUNS_LOOKED_AT)) {
    if (names.every((name) => found.has(name))) break;
    const read = factsOfRun(join(workDir.runs, run, 'facts.json'));
    for (const name of names) {
      const facts = read[name];
      if (facts && !found.has(name)) found.set(name, facts);
    }
  }
  return found;
}

function factsOfRun(file: string): Readonly<Record<string, Facts>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Facts>;
  } catch {
    return {};
  }
}
