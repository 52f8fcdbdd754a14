import { type Patience, withRetries as retry } from '../../../http/retry.ts';
import { KubexmError } from '../../../model/errors/index.ts';
import { connectionFailure, isConnectionError, RegistryFailure } from './failure.ts';

/** Tries until it works, as often as that may help, and tells all failures when it does not. */
export async function withRetries<T>(
  patience: Patience,
  registry: string,
  signal: AbortSignal,
  work: (gotOn: () => void) => Promise<T>,
): Promise<T> {
  const reasons: string[] = [];
  let last: KubexmError | undefined;
  const judge = (error: unknown): RegistryFailure => {
    last = undefined;
    if (!(error instanceof RegistryFailure) && !isConnectionError(error)) throw error;
    const failure = connectionFailure(registry, error);
    last = failure.error;
    reasons.push(last.detail === undefined ? failure.message : `${failure.message}: ${last.detail}`);
    return failure;
  };
  try {
    return await retry(patience, signal, work, judge);
  } catch (error) {
    signal.throwIfAborted();
    if (last === undefined) throw error;
    if (reasons.length === 1) throw last;
    const { code, params, cause } = last;
    throw new KubexmError(code, params, { cause, detail: reasons.slice(-10).join('\n') });
  }
}
