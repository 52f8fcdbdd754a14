import { setTimeout as delay } from 'node:timers/promises';

/** How often and how soon something is tried again. */
export interface Patience {
  readonly attempts: number;
  /** Before the second try; doubled for each further one. */
  readonly delaySeconds: number;
}

/** Whether another try makes sense, and when. */
export interface Chance {
  readonly transient: boolean;
  /** What the server asked to wait, in seconds. */
  readonly retryAfter: number | undefined;
}

const LONGEST_DELAY_SECONDS = 60;

/**
 * Tries until it works, as often as that may help. Every failure is given to `judge`, which may throw; the last one is thrown.
 * Work that says it got on is given all its tries again: a large file over a bad line comes in many pieces.
 */
export async function withRetries<T>(
  patience: Patience,
  signal: AbortSignal,
  work: (gotOn: () => void) => Promise<T>,
  judge: (error: unknown) => Chance,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(() => {
        attempt = 1;
      });
    } catch (error) {
      signal.throwIfAborted();
      const { transient, retryAfter } = judge(error);
      // A server that asks for more time than anybody would wait has said no.
      const hopeless = retryAfter !== undefined && retryAfter > LONGEST_DELAY_SECONDS;
      if (!transient || hopeless || attempt >= patience.attempts) throw error;
      const wait = retryAfter ?? patience.delaySeconds * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
      await delay(Math.min(wait, LONGEST_DELAY_SECONDS) * 1000, undefined, { signal });
    }
  }
}
