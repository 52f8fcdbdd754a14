/** Why an address did not deliver. */
export class TransferFailure extends Error {
  /** Worth another try at the same address. */
  readonly transient: boolean;
  /** What the server asked to wait, in seconds. */
  readonly retryAfter: number | undefined;

  constructor(
    message: string,
    more: { readonly transient: boolean; readonly retryAfter?: number | undefined; readonly cause?: unknown },
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'TransferFailure';
    this.transient = more.transient;
    this.retryAfter = more.retryAfter;
  }
}

/** Network errors that pass. A name that does not exist and a bad certificate do not. */
const PASSING = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
]);

/** Any error of the network as a failure. */
export function asFailure(error: unknown): TransferFailure {
  if (error instanceof TransferFailure) return error;
  const code = codeOf(error);
  const message = error instanceof Error && error.message !== '' ? error.message : (code ?? String(error));
  return new TransferFailure(message, { transient: code !== undefined && PASSING.has(code), cause: error });
}

/** A status that is no success. */
export function statusFailure(status: number, text: string, retryAfter: string | undefined): TransferFailure {
  const transient = [408, 425, 429, 500, 502, 503, 504].includes(status);
  return new TransferFailure(`status ${status} ${text}`.trim(), { transient, retryAfter: seconds(retryAfter) });
}

function seconds(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^[0-9]+$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}

/** The error's code; of an error that stands for several attempts to connect, the first one's. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
