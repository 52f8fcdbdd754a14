import { KubexmError, kubexmError } from '../model/errors/index.ts';
import { isRefusedHost } from '../model/errors/refused-host.ts';
import type { EventError } from '../model/event.ts';
import { MissingValue } from './values.ts';

/** A connection that broke under a command. */
export const INTERRUPTED = 'KX3011';
/** A host that did not come back, or whose connection keeps breaking. */
const LOST: readonly string[] = ['KX3012', 'KX3019'];
/** A job that was killed, with its machine or without. */
export const JOB_DEAD = 'KX3040';
/** A command or a job that took too long and was stopped. */
export const TOO_LONG: readonly string[] = ['KX3030', 'KX3041'];
/** The journal cannot be written any more. */
export const NO_JOURNAL = 'KX4015';

/** Whether an error has this code of the catalogue. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof KubexmError && error.code === code;
}

/** Whether an error means that its host is lost to this run: it stayed away, or it must be left alone. */
export function isLost(error: unknown): boolean {
  return isRefusedHost(error) || LOST.some((code) => isCode(error, code));
}

/** Whether an error comes from this signal, or from work that was aborted; also where another error tells of it. */
export function isAbort(error: unknown, signal: AbortSignal): boolean {
  if (error === signal.reason) return true;
  return error instanceof Error && (error.name === 'AbortError' || isAbort(error.cause, signal));
}

/** The connection broke under the same work again and again: how far that came cannot be found out. */
export function keepsBreaking(host: string, count: number, cause: unknown): KubexmError {
  return kubexmError('KX3019', { host, count }, { host, cause });
}

/** What a thrown thing says of itself. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A thrown thing as events carry it. */
export function asEventError(error: unknown, node: string): EventError {
  if (error instanceof KubexmError) {
    return { code: error.code, params: error.params, ...(error.detail === undefined ? {} : { detail: error.detail }) };
  }
  const stack = error instanceof Error && !(error instanceof MissingValue) ? { stack: error.stack ?? '' } : {};
  return { code: 'KX4002', params: { node, reason: reasonOf(error) }, ...stack };
}
