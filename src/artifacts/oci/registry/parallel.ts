/** Works on items, so many at once. The first failure stops the others, and is thrown when all have ended. */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const giveUp = new AbortController();
  const both = AbortSignal.any([signal, giveUp.signal]);
  const failures: unknown[] = [];
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) {
      if (both.aborted) return;
      try {
        await work(item, both);
      } catch (error) {
        if (!giveUp.signal.aborted) failures.push(error);
        giveUp.abort();
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  signal.throwIfAborted();
  if (failures.length > 0) throw failures[0];
}
