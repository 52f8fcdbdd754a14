import { join, relative } from 'node:path';
import { expect } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** Set for every case of what `npm test` tries only some of: `KUBEXM_TEST_THOROUGH=1 npm test`. */
export const thorough = (process.env['KUBEXM_TEST_THOROUGH'] ?? '') !== '';

const inFull = new Set((process.env['KUBEXM_TEST_IN_FULL'] ?? '').split(' '));

/** Whether this test file tries every case: in a thorough run, and once after what it covers has changed (scripts/test-families.ts). */
export function everyCase(): boolean {
  return thorough || inFull.has(relative(ROOT, expect.getState().testPath ?? ''));
}

/** The seed of everything random in a test; in every message, so that a failure can be had again with KUBEXM_TEST_SEED. */
export const seed = Number(process.env['KUBEXM_TEST_SEED'] ?? Date.now() % 1_000_000);

/** All cases where every case is tried; else so many of them, evenly spread, beginning somewhere else in every run. */
export function some<T>(cases: readonly T[], count: number): readonly T[] {
  if (everyCase() || cases.length <= count) return cases;
  const step = cases.length / count;
  const first = seed % Math.ceil(step);
  return Array.from({ length: count }, (_, i) => cases[Math.floor(first + i * step) % cases.length] as T);
}

/** All cases where every case is tried; else those of this place when they are dealt out to so many places, others in every run. */
export function dealt<T>(cases: readonly T[], place: number, places: number): readonly T[] {
  return everyCase() ? cases : cases.filter((_, i) => (i + seed) % places === place);
}

/** How often a property is tried: so often where every case is tried, else an eighth of that, with other values in every run. */
export function runs(count: number): number {
  return everyCase() ? count : Math.ceil(count / 8);
}

/** Random numbers between 0 and 1, the same ones for the same seed. */
export function randoms(count: number): readonly number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  });
}
