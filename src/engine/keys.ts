import { createHash } from 'node:crypto';
import { type AnyStep, fieldOf } from '../plan/step.ts';

/** The name of a node's before-image on its host. */
export function hostKey(run: string, node: string): string {
  const readable = node.replaceAll(/[^A-Za-z0-9.-]+/g, '_').slice(0, 60);
  return `${run}/${readable}-${createHash('sha256').update(node).digest('hex').slice(0, 10)}`;
}

/** The name of the job of one try of a node on its host. */
export function jobKey(run: string, node: string, attempt: number): string {
  return `${hostKey(run, node).replace('/', '.')}.${attempt}`;
}

/** Whether a step's script runs as a job, which outlives the connection. */
export function runsAsJob(step: AnyStep, want: unknown): boolean {
  return step.once === true || fieldOf(step.job, want, false);
}
