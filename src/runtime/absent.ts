import { errorRemedy, KubexmError, kubexmError, type Text } from '../model/errors/index.ts';
import type { Facts } from '../model/facts.ts';
import { lastFacts } from '../state/last-facts.ts';
import type { WorkDir } from '../state/work-dir.ts';
import type { Connected } from './connect.ts';

/** Why these hosts cannot be used, as one error. */
export function unreachableError(failed: readonly (readonly [string, Error])[], total: number): Error {
  const [first, ...others] = failed;
  if (first && others.length === 0) return first[1];
  const lines = failed.map(([host, error]) => `${host}: ${codeOf(error)}${error.message}`);
  const remedies = new Set(failed.flatMap(([, error]) => remedyOf(error)));
  const detail = [...lines, ...[...remedies].slice(0, REMEDIES_SHOWN).map((remedy) => `→ ${remedy}`)].join('\n');
  return kubexmError('KX4024', { count: failed.length, total }, { detail });
}

/** Hundreds of hosts may each need something of their own; `kubexm explain` tells the rest. */
const REMEDIES_SHOWN = 5;

function codeOf(error: Error): string {
  return error instanceof KubexmError ? `${error.code} ` : '';
}

function remedyOf(error: Error): readonly string[] {
  return error instanceof KubexmError ? [errorRemedy(error.code, error.params, 'en')] : [];
}

/**
 * The facts of hosts that do not answer, as the last run read them: the plan of a cluster needs those of all, also where only a
 * part of it runs. Throws where nobody has read them yet.
 */
export function absentFacts(connected: Connected, workDir: WorkDir): Readonly<Record<string, Facts>> {
  const known = lastFacts(workDir, [...connected.unreachable.keys()]);
  refuseAbsent(connected, (host) => !known.has(host));
  return Object.fromEntries(known);
}

/** Throws if one of the hosts that must answer does not. */
export function refuseAbsent({ machines, unreachable }: Connected, mustAnswer: (host: string) => boolean): void {
  const failed = [...unreachable].filter(([host]) => mustAnswer(host));
  // The local machine is among those that answered.
  if (failed.length > 0) throw unreachableError(failed, machines.size - 1 + unreachable.size);
}

/** Said of hosts that do not answer and are not needed. */
export function absentText(hosts: readonly string[]): Text {
  const names = hosts.join(', ');
  return {
    en: `No answer, not needed, left out: ${names}`,
    zh: `无应答且不需要，已忽略：${names}`,
  };
}
