import { Connections } from '../../../http/connections.ts';
import { HttpFailure } from '../../../http/failure.ts';
import { type HttpOptions, shownUrl } from '../../../http/get.ts';
import { type Env, proxyFor } from '../../../http/proxy.ts';
import { type Patience, withRetries } from '../../../http/retry.ts';
import { errorTitle, KubexmError, kubexmError } from '../../../model/errors/index.ts';
import { UNTRUSTED } from '../untrusted.ts';
import type { Reach, Way } from './reach.ts';

/** How patient a source is with the network. */
export interface WebOptions {
  /** So soon an origin must answer at all. Default 3. */
  readonly answerSeconds?: number;
  /** After so long without a byte a server is given up. Default 30. */
  readonly stallSeconds?: number;
  /** Tries at each address. Default 4. Only what may pass is tried again. */
  readonly attempts?: number;
  /** Before the second try; doubled each time. Default 1. */
  readonly delaySeconds?: number;
  /** A file with certificates of authorities to trust beside the usual ones, in PEM. */
  readonly caFile?: string | undefined;
  /** What comes over plain HTTP is used although nobody vouches for it. Default: no. */
  readonly plainHTTP?: boolean | undefined;
  /** Registries that do not speak TLS. Default: none. */
  readonly plainRegistries?: readonly string[];
}

/** The network as one job of a source sees it. */
export interface Web {
  readonly way: Way;
  readonly connections: Connections;
  readonly reach: Reach;
  readonly patience: Patience;
  readonly stallSeconds: number;
  readonly signal: AbortSignal;
  /** Plain HTTP may vouch. */
  readonly plainHTTP: boolean;
}

/** A file that does not have the digest that it must have. */
export class WrongContent extends HttpFailure {
  readonly got: string;
  readonly want: string;

  constructor(got: string, want: string, transient: boolean) {
    super(`${got}, expected is ${want}`, { transient, retryAfter: 0 });
    this.name = 'WrongContent';
    this.got = got;
    this.want = want;
  }
}

/** Opens the network for a job. Must be closed. */
export function openWeb(
  options: WebOptions,
  more: { readonly reach: Reach; readonly env: Env; readonly signal: AbortSignal; readonly ca: string | undefined },
): Web {
  const way: Way = { ca: more.ca, proxyFor: (url) => proxyFor(url, more.env) };
  const stallSeconds = options.stallSeconds ?? 30;
  return {
    way,
    connections: new Connections({ ...way, stallSeconds }),
    reach: more.reach,
    patience: { attempts: options.attempts ?? 4, delaySeconds: options.delaySeconds ?? 1 },
    stallSeconds,
    signal: more.signal,
    plainHTTP: options.plainHTTP === true,
  };
}

/** Whether anybody on the way could answer in place of an address. Nobody is on the way to this machine itself. */
export function isPlain({ protocol, hostname }: URL): boolean {
  return protocol !== 'https:' && !/^(?:localhost|127\.[0-9.]+|\[::1\])$/.test(hostname);
}

/** Throws KX7083 if an address over plain HTTP alone vouches for a file or an image, unless the user allows that. */
export function refusePlain(web: Pick<Web, 'plainHTTP'>, url: URL, file: string): void {
  if (isPlain(url) && !web.plainHTTP) throw kubexmError('KX7083', { file, host: url.host });
}

/** How an address is asked. Without a digest, https is all that vouches for a file: it must not be left. */
export function asking({ connections, signal, stallSeconds }: Web, checked: boolean): HttpOptions {
  return { connections, signal, stallSeconds, keepHttps: !checked };
}

/** Work at the first of several addresses that delivers. Those that do not answer at all cost no time. */
export async function atFirst<T>(
  web: Web,
  urls: readonly URL[],
  file: string,
  work: (url: URL, gotOn: () => void) => Promise<T>,
): Promise<{ readonly value: T; readonly url: URL }> {
  const { signal } = web;
  const reasons: string[] = [];
  const errors: KubexmError[] = [];
  const silent = await Promise.all(urls.map((url) => web.reach.whyNot(url, web.way, signal)));
  for (const [i, url] of urls.entries()) {
    const why = silent[i];
    // Somebody may be in between: they must not decide which address is asked.
    if (why !== undefined && UNTRUSTED.includes(why.code)) throw why;
    if (why !== undefined) {
      reasons.push(`${shownUrl(url)}: ${errorTitle(why.code, why.params, 'en')}`);
      errors.push(why);
      continue;
    }
    const judge = (error: unknown): HttpFailure => {
      if (!(error instanceof HttpFailure)) throw error;
      reasons.push(`${shownUrl(url)}: ${error.message}`);
      return error;
    };
    try {
      return { value: await withRetries(web.patience, signal, (gotOn) => work(url, gotOn), judge), url };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof HttpFailure)) throw error;
      const told = failed(url, file, error);
      if (UNTRUSTED.includes(told.code)) throw told;
      errors.push(told);
    }
  }
  throw combined(errors, reasons, file);
}

/** The error that says most: one that answered and failed, before one that is silent. */
function combined(errors: readonly KubexmError[], reasons: readonly string[], file: string): KubexmError {
  const said = errors.findLast(({ code }) => code !== 'KX7070') ?? errors.at(-1);
  if (said === undefined) return kubexmError('KX7072', { file, host: 'nowhere', reason: 'no address is known' });
  if (reasons.length < 2) return said;
  const { code, params, cause } = said;
  return new KubexmError(code, params, { cause, detail: reasons.slice(-20).join('\n') });
}

/** What to tell of an address that failed. */
export function failed(url: URL, file: string, failure: HttpFailure): KubexmError {
  const { host } = url;
  const more = { cause: failure };
  if (failure instanceof WrongContent) {
    return kubexmError('KX7073', { file, host, got: failure.got, want: failure.want }, more);
  }
  if (failure.trouble === 'certificate') return kubexmError('KX7071', { host, reason: failure.message }, more);
  const { status } = failure;
  if (url.username !== '' && (status === 401 || status === 403)) return kubexmError('KX7079', { host, status }, more);
  return kubexmError('KX7072', { file, host, reason: failure.message }, more);
}
