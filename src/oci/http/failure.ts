/** What kind of trouble a connection had. */
export type Trouble = 'network' | 'certificate' | 'not-tls';

/** Why an address did not answer, or not to the end. */
export class HttpFailure extends Error {
  readonly trouble: Trouble;
  /** Worth another try. */
  readonly transient: boolean;

  constructor(
    message: string,
    more: { readonly transient: boolean; readonly trouble?: Trouble; readonly cause?: unknown },
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'HttpFailure';
    this.trouble = more.trouble ?? 'network';
    this.transient = more.transient;
  }
}

/** A name that does not exist does not begin to exist a second later; these do pass. */
const PASSING = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
]);

/** What Node says about certificates that it does not accept. */
const CERTIFICATE =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|INVALID_CA|HOSTNAME_MISMATCH|CRL_|ERROR_IN_CERT_|PATH_LENGTH_)/;

/** Any error of a connection. Those of the disk and of the caller pass as they are. */
export function asHttpFailure(error: unknown): HttpFailure {
  if (error instanceof HttpFailure) return error;
  const code = codeOf(error);
  const message = error instanceof Error && error.message !== '' ? error.message : (code ?? String(error));
  if (code !== undefined && CERTIFICATE.test(code)) {
    return new HttpFailure(message, { transient: false, trouble: 'certificate', cause: error });
  }
  if (/SSL routines:[^:]*:(?:wrong version number|packet length too long)/.test(message)) {
    return new HttpFailure('it does not speak TLS', { transient: false, trouble: 'not-tls', cause: error });
  }
  // OpenSSL says where in its own source it was; what it means stands behind “SSL routines:”.
  const short = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message;
  return new HttpFailure(short, { transient: code !== undefined && PASSING.has(code), cause: error });
}

/** The error's code; of one that stands for several attempts to connect, the first one's. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
