import type { SourceSpec } from '../../model/artifact-lock.ts';
import type { StepIo } from '../../plan/step.ts';
import { openSupply, type Supply } from '../cache/index.ts';

type Secret = StepIo['secret'];

/**
 * The supplies of each run, keyed by its function for secrets: all steps of a run, and no other run, share the knowledge which
 * origins do not answer and what was reported.
 */
const supplies = new WeakMap<Secret, Map<string, Promise<Supply>>>();

/** The cache and the sources that the steps of a run ask for, opened once. */
export function supplyFor(
  { cacheDir, sources }: { readonly cacheDir: string; readonly sources: readonly SourceSpec[] },
  { secret }: { readonly secret: Secret },
): Promise<Supply> {
  const ofRun = supplies.get(secret) ?? new Map<string, Promise<Supply>>();
  supplies.set(secret, ofRun);
  const name = JSON.stringify([cacheDir, sources]);
  const known = ofRun.get(name);
  if (known !== undefined) return known;
  const withPasswords = sources.map(({ passwordField, ...spec }) => {
    const password = passwordField === undefined ? undefined : secret(passwordField);
    return { ...spec, ...(password === undefined ? {} : { password }) };
  });
  const opened = openSupply(cacheDir, withPasswords);
  ofRun.set(name, opened);
  // A cache that cannot be opened now may be opened later.
  opened.catch(() => ofRun.delete(name));
  return opened;
}
