import type { SourceSpec } from '../model/artifact-lock.ts';
import type { StepIo } from '../plan/step.ts';
import { openSupply, type Supply } from '../supply/index.ts';

/** The supplies of this process: which origins do not answer, and what was told, is known to all steps of a run. */
const supplies = new Map<string, Promise<Supply>>();

/** The cache and the sources that steps ask for, opened once. */
export function supplyFor(
  { cacheDir, sources }: { readonly cacheDir: string; readonly sources: readonly SourceSpec[] },
  io: Pick<StepIo, 'secret'>,
): Promise<Supply> {
  const name = JSON.stringify([cacheDir, sources]);
  const known = supplies.get(name);
  if (known !== undefined) return known;
  const withPasswords = sources.map(({ passwordField, ...spec }) => {
    const password = passwordField === undefined ? undefined : io.secret(passwordField);
    return { ...spec, ...(password === undefined ? {} : { password }) };
  });
  const opened = openSupply(cacheDir, withPasswords);
  supplies.set(name, opened);
  // A cache that cannot be opened now may be opened later.
  opened.catch(() => supplies.delete(name));
  return opened;
}
