import { setTimeout as delay } from 'node:timers/promises';
import { KubexmError } from '../../model/errors/index.ts';
import { connectionFailure, isConnectionError, RegistryFailure } from './failure.ts';

/** How often and how soon something is tried again. */
export interface Patience {
  readonly attempts: number;
  /** Before the second try; doubled for each further one. */
  readonly delaySeconds: number;
}

const LONGEST_DELAY_SECONDS = 60;

/**
 * Tries until it works, as often as that may help, and tells all failures when it does not. Work that says it got on is given
 * all its tries again: a large blob over a bad line comes in many pieces.
 */
export async function patiently<T>(
  patience: Patience,
  registry: string,
  signal: AbortSignal,
  work: (gotOn: () => void) => Promise<T>,
): Promise<T> {
  const reasons: string[] = [];
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(() => {
        attempt = 1;
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RegistryFailure) && !isConnectionError(error)) throw error;
      const failure = connectionFailure(registry, error);
      const { code, params, detail, cause } = failure.error;
      reasons.push(detail === undefined ? failure.message : `${failure.message}: ${detail}`);
      const wait = failure.retryAfter ?? patience.delaySeconds * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
      // A server that asks for more time than anybody would wait has said no.
      const hopeless = failure.retryAfter !== undefined && failure.retryAfter > LONGEST_DELAY_SECONDS;
      if (failure.transient && !hopeless && attempt < patience.attempts) {
        await delay(Math.min(wait, LONGEST_DELAY_SECONDS) * 1000, undefined, { signal });
        continue;
      }
      if (reasons.length === 1) throw failure.error;
      throw new KubexmError(code, params, { cause, detail: reasons.slice(-10).join('\n') });
    }
  }
}
