/** What kind of trouble a connection had. */
export type Trouble = 'network' | 'certificate' | 'not-tls' | 'status';

/** More about a failure. */
interface FailureDetail {
  readonly transient: boolean;
  readonly trouble?: Trouble;
  readonly status?: number;
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/** Why an address did not answer, not to the end, or not with what was asked for. */
export class HttpFailure extends Error {
  readonly trouble: Trouble;
  /** Worth another try at the same address. */
  readonly transient: boolean;
  /** What the server said, where it said no. */
  readonly status: number | undefined;
  /** What the server asked to wait, in seconds. */
  readonly retryAfter: number | undefined;

  constructor(message: string, more: FailureDetail) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'HttpFailure';
    this.trouble = more.trouble ?? 'network';
    this.transient = more.transient;
    this.status = more.status;
    this.retryAfter = more.retryAfter;
  }
}

/** A file that is not as long as it must be. */
export class WrongLength extends HttpFailure {
  /** `12 bytes`, `more than 10 bytes`. */
  readonly got: string;
  readonly want: number;

  constructor(message: string, got: string, want: number) {
    super(message, { transient: false });
    this.name = 'WrongLength';
    this.got = got;
    this.want = want;
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

/** Any error of a connection as a failure. */
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

/** Whether a status may be another one soon. */
export function passes(status: number): boolean {
  return [408, 425, 429, 500, 502, 503, 504].includes(status);
}

/** A status that is no success. */
export function statusFailure(status: number, text: string, retryAfter: string | undefined): HttpFailure {
  return new HttpFailure(`status ${status} ${text}`.trim(), {
    transient: passes(status),
    trouble: 'status',
    status,
    retryAfter: waitOf(retryAfter),
  });
}

/** The seconds that a Retry-After header asks for: it says how long, or until when. */
export function waitOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^[0-9]+$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}

/** The error's code; of one that stands for several attempts to connect, the first one's. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
