import type { OnBytes } from '../../../http/transfer.ts';

/** Adds up how far several files are. The total is known when all of them are. */
export function tally(count: number, report: OnBytes): (name: string) => OnBytes {
  const files = new Map<string, { readonly done: number; readonly total: number | undefined }>();
  return (name) => (done, total) => {
    files.set(name, { done, total });
    const all = [...files.values()];
    const known = all.length === count && all.every((one) => one.total !== undefined);
    report(
      all.reduce((sum, one) => sum + one.done, 0),
      known ? all.reduce((sum, one) => sum + (one.total ?? 0), 0) : undefined,
    );
  };
}
