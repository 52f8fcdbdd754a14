import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type EventReader, openEventReader } from '../observe/index.ts';
import { WORK_DIR, workDirOf } from './work-dir.ts';

/** A cluster's event store, open for reading. */
export interface ClusterHistory {
  readonly cluster: string;
  readonly reader: EventReader;
}

/** Opens the event stores below a directory: one cluster's, or all that are there. */
export function openHistory(options: {
  readonly baseDir: string;
  readonly cluster?: string;
}): readonly ClusterHistory[] {
  const root = join(options.baseDir, WORK_DIR);
  const names = options.cluster === undefined ? clustersIn(root) : [options.cluster];
  return names.flatMap((cluster) => {
    const { events } = workDirOf(options.baseDir, cluster);
    return existsSync(events) ? [{ cluster, reader: openEventReader(events) }] : [];
  });
}

function clustersIn(root: string): readonly string[] {
  if (!existsSync(root)) return [];
  const entries = readdirSync(root, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
