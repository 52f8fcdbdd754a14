import { shellSource } from '../../host/shell-source.ts';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { type Finding, finding } from './finding.ts';
import { LIMITS } from './limits.ts';

const FUNCTIONS = rawScript(shellSource(new URL('./sync.sh', import.meta.url)));

/** Measures how long the disk takes to write what etcd writes; prints microseconds per write. */
export function syncScript(dir: string): Script {
  return lines(FUNCTIONS, sh`kxp_sync ${dir}`);
}

/** Whether etcd's disk is slow. What was not measured is not judged. */
export function syncFindings(measured: Readonly<Record<string, { readonly stdout: string }>>, path: string) {
  return Object.entries(measured).flatMap(([host, { stdout }]): readonly Finding[] => {
    const ms = Number.parseInt(stdout, 10) / 1000;
    if (!(ms > LIMITS.fsyncMs)) return [];
    return [finding('KX4547', 'warning', host, { path, limit: LIMITS.fsyncMs }, `${Math.round(ms)} ms`)];
  });
}
