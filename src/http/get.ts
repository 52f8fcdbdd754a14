import type { Connections } from './connections.ts';
import { type Answer, exchange } from './exchange.ts';
import { HttpFailure } from './failure.ts';

/** How addresses are asked. */
export interface HttpOptions {
  readonly connections: Connections;
  readonly signal: AbortSignal;
  /** After so long without a byte the server counts as stalled. */
  readonly stallSeconds: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: GET. */
  readonly method?: 'GET' | 'HEAD';
  /** Never let a redirect lead from https to http. */
  readonly keepHttps: boolean;
}

/** How many redirects are followed. */
export const MAX_REDIRECTS = 10;

/** Asks for an address, following redirects. The answer's body must be read or stopped. */
export async function get(address: URL, options: HttpOptions): Promise<Answer> {
  const { connections, signal, stallSeconds, method = 'GET' } = options;
  let url = address;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const headers = { ...options.headers, ...authorization(url) };
    const answer = await exchange(connections, { method, url, headers, signal, stallSeconds });
    if (!isRedirect(answer.status)) return answer;
    await answer.body.drop();
    url = redirected(url, answer.headers.location, options.keepHttps);
  }
  throw new HttpFailure(`more than ${MAX_REDIRECTS} redirects`, { transient: false });
}

/** Whether a status sends one elsewhere. */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** An address without what must not be shown: no user, no password, no query. */
export function shownUrl(url: URL | string): string {
  if (typeof url === 'string') return URL.canParse(url) ? shownUrl(new URL(url)) : url;
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** Who asks, as the address itself says. */
function authorization(url: URL): Readonly<Record<string, string>> {
  if (url.username === '') return {};
  const text = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}

function redirected(from: URL, location: string | undefined, keepHttps: boolean): URL {
  if (location === undefined || !URL.canParse(location, from.href))
    throw new HttpFailure('a redirect that leads nowhere', { transient: false });
  const to = new URL(location, from);
  if (to.protocol !== 'http:' && to.protocol !== 'https:')
    throw new HttpFailure(`a redirect to ${to.protocol}`, { transient: false });
  if (keepHttps && from.protocol === 'https:' && to.protocol === 'http:') {
    throw new HttpFailure(`a redirect from https to ${shownUrl(to)}`, { transient: false });
  }
  if (to.origin === from.origin && to.username === '') {
    to.username = from.username;
    to.password = from.password;
  }
  return to;
}
