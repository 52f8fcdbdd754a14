import { unlessAborted } from './unless-aborted.ts';

/** What comes of the work if it comes in time. Otherwise the error of `late` is thrown, and the work is left to itself. */
export async function within<T>(
  work: Promise<T>,
  ms: number,
  late: () => Error,
  signal?: AbortSignal | undefined,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  try {
    return await unlessAborted(Promise.race([work, promise]), signal);
  } finally {
    clearTimeout(timer);
    // Nobody may be there any more to hear that it failed.
    work.catch(() => undefined);
  }
}
