import type { Answer } from '../../../http/exchange.ts';
import { asHttpFailure, HttpFailure, passes, waitOf } from '../../../http/failure.ts';
import { KubexmError, kubexmError } from '../../../model/errors/index.ts';
import { printable } from '../../../model/text/printable.ts';

/** A failure of a registry: what to tell, and whether another try makes sense. */
export class RegistryFailure extends Error {
  readonly error: KubexmError;
  readonly transient: boolean;
  /** What the server asked to wait, in seconds. */
  readonly retryAfter: number | undefined;

  constructor(error: KubexmError, more: { readonly transient: boolean; readonly retryAfter?: number | undefined }) {
    super(error.message, { cause: error });
    this.name = 'RegistryFailure';
    this.error = error;
    this.transient = more.transient;
    this.retryAfter = more.retryAfter;
  }
}

/** What was asked for, as far as errors tell it. */
export interface Asked {
  readonly registry: string;
  readonly repository: string;
  readonly action: 'pull' | 'push';
  /** `manifest pause:3.10` */
  readonly what: string;
  /** `PUT manifest pause:3.10` */
  readonly request: string;
}

/** A failure that a retry cannot fix. */
export function final(error: KubexmError): RegistryFailure {
  return new RegistryFailure(error, { transient: false });
}

/** A failure of the connection to a host. */
export function connectionFailure(registry: string, error: unknown): RegistryFailure {
  if (error instanceof RegistryFailure) return error;
  if (error instanceof KubexmError) return final(error);
  const { trouble, transient, message, retryAfter } = asHttpFailure(error);
  const more = { cause: error };
  if (trouble === 'certificate') return final(kubexmError('KX7106', { registry, reason: message }, more));
  if (trouble === 'not-tls') return final(kubexmError('KX7111', { registry, reason: message }, more));
  return new RegistryFailure(kubexmError('KX7102', { registry, reason: message }, more), { transient, retryAfter });
}

/** Whether an error is one of the connection, not of the disk or of the caller. */
export function isConnectionError(error: unknown): boolean {
  return error instanceof HttpFailure;
}

/** An answer that is no success. Reads its body, for what the registry has to say. */
export async function statusFailure(answer: Answer, asked: Asked): Promise<RegistryFailure> {
  const { status, headers } = answer;
  const { registry, repository, action, what, request } = asked;
  const detail = await explanation(answer);
  const more = detail === '' ? {} : { detail };
  const retryAfter = waitOf(headers['retry-after']);
  if (status === 403) return final(kubexmError('KX7105', { registry, action, repository }, more));
  if (status === 404) return final(kubexmError('KX7107', { registry, what }, more));
  if (status === 429) {
    return new RegistryFailure(kubexmError('KX7109', { registry }, more), { transient: true, retryAfter });
  }
  const transient = passes(status);
  return new RegistryFailure(kubexmError('KX7110', { registry, status, request }, more), { transient, retryAfter });
}

const BODY_MAX = 64 * 1024;
const SHOWN_MAX = 500;

/** What the registry says in its body, as harmless text. A web page says nothing. */
async function explanation(answer: Answer): Promise<string> {
  const body = await answer.body.all(BODY_MAX).catch(() => Buffer.alloc(0));
  const type = answer.headers['content-type'] ?? '';
  const text = body.toString('utf8');
  let said = /html/i.test(type) || /^\s*</.test(text) ? '' : text;
  try {
    const { errors } = JSON.parse(text) as { readonly errors?: unknown };
    if (Array.isArray(errors)) said = errors.map(oneError).join('; ');
  } catch {
    // Plain words, then.
  }
  return printable(said.trim()).slice(0, SHOWN_MAX);
}

function oneError(error: unknown): string {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return [code, message].filter((part) => typeof part === 'string' && part !== '').join(': ');
}
