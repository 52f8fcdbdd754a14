/** Set for every case of what `npm test` tries only some of: `KUBEXM_TEST_THOROUGH=1 npm test`. */
export const thorough = (process.env['KUBEXM_TEST_THOROUGH'] ?? '') !== '';

/** The seed of everything random in a test; in every message, so that a failure can be had again with KUBEXM_TEST_SEED. */
export const seed = Number(process.env['KUBEXM_TEST_SEED'] ?? Date.now() % 1_000_000);

/** All cases in a thorough run; else so many of them, evenly spread, beginning somewhere else in every run. */
export function some<T>(cases: readonly T[], count: number): readonly T[] {
  if (thorough || cases.length <= count) return cases;
  const step = cases.length / count;
  const first = seed % Math.ceil(step);
  return Array.from({ length: count }, (_, i) => cases[Math.floor(first + i * step) % cases.length] as T);
}

/** All cases in a thorough run; else those of this place when they are dealt out to so many places, others in every run. */
export function dealt<T>(cases: readonly T[], place: number, places: number): readonly T[] {
  return thorough ? cases : cases.filter((_, i) => (i + seed) % places === place);
}

/** How often a property is tried: so often in a thorough run, else an eighth of that, with other values in every run. */
export function runs(count: number): number {
  return thorough ? count : Math.ceil(count / 8);
}

/** Random numbers between 0 and 1, the same ones for the same seed. */
export function randoms(count: number): readonly number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  });
}
