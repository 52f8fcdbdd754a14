/** Several measurements of one thing. */
export interface Sample {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

/** The middle and the ends of some measurements. */
export function sampleOf(values: readonly number[]): Sample {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const below = sorted[Math.ceil(middle) - 1];
  const above = sorted[Math.floor(middle)];
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (below === undefined || above === undefined || min === undefined || max === undefined) {
    throw new RangeError('nothing was measured');
  }
  return { median: (below + above) / 2, min, max, count: sorted.length };
}

/** Runs every contestant once a round, so that a noisy minute hits them all; each round begins with another one. */
export async function interleave<K extends string, T>(
  rounds: number,
  contestants: Readonly<Record<K, () => Promise<T>>>,
): Promise<Readonly<Record<K, readonly T[]>>> {
  const names = Object.keys(contestants) as K[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, T[]>;
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < names.length; k++) {
      const name = names[(round + k) % names.length];
      if (name !== undefined) results[name].push(await contestants[name]());
    }
  }
  return results;
}

/** How often `b` fits into `a`, round by round: what was measured side by side is compared side by side. */
export function ratios(a: readonly number[], b: readonly number[]): Sample {
  return sampleOf(a.map((value, i) => value / (b[i] ?? Number.NaN)));
}
