import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { Body } from './body.ts';
import { asFailure, TransferFailure } from './failure.ts';
import { type Env, proxyFor } from './proxy.ts';

/** How addresses are asked. */
export interface HttpOptions {
  readonly signal: AbortSignal;
  /** After so long without a byte the server counts as stalled. */
  readonly stallSeconds: number;
  readonly env: Env;
  /** Certificates to trust, in PEM. */
  readonly ca?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Never let a redirect lead from https to http. */
  readonly keepHttps: boolean;
}

/** An answer whose body is still to come. */
export interface Answer {
  readonly body: Body;
  readonly url: URL;
}

const MAX_REDIRECTS = 10;

/** Asks for an address, following redirects. The body must be read or stopped. */
export async function get(address: URL, options: HttpOptions): Promise<Answer> {
  let url = address;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const body = await ask(url, options);
    const { statusCode = 0, headers } = body.message;
    if (![301, 302, 303, 307, 308].includes(statusCode)) return { body, url };
    body.stop();
    url = redirected(url, headers.location, options.keepHttps);
  }
  throw new TransferFailure(`more than ${MAX_REDIRECTS} redirects`, { transient: false });
}

/** An address without what must not be shown: no user, no password, no query. */
export function shownUrl(url: URL | string): string {
  if (typeof url === 'string') return URL.canParse(url) ? shownUrl(new URL(url)) : url;
  return `${url.protocol}//${url.host}${url.pathname}`;
}

function redirected(from: URL, location: string | undefined, keepHttps: boolean): URL {
  if (location === undefined || !URL.canParse(location, from.href))
    throw new TransferFailure('a redirect that leads nowhere', { transient: false });
  const to = new URL(location, from);
  if (to.protocol !== 'http:' && to.protocol !== 'https:')
    throw new TransferFailure(`a redirect to ${to.protocol}`, { transient: false });
  if (keepHttps && from.protocol === 'https:' && to.protocol === 'http:') {
    throw new TransferFailure(`a redirect from https to ${shownUrl(to)}`, { transient: false });
  }
  if (to.origin === from.origin && to.username === '') {
    to.username = from.username;
    to.password = from.password;
  }
  return to;
}

async function ask(url: URL, options: HttpOptions): Promise<Body> {
  options.signal.throwIfAborted();
  const proxy = proxyFor(url, options.env);
  const headers = {
    'accept-encoding': 'identity',
    'user-agent': 'kubexm',
    ...options.headers,
    ...authorization('authorization', url),
  };
  const secure = url.protocol === 'https:';
  if (proxy === undefined) {
    return answered((secure ? httpsRequest : httpRequest)(target(url, headers, options)), options);
  }
  if (!secure) {
    const through = {
      ...target(proxy, { ...headers, host: url.host, ...authorization('proxy-authorization', proxy) }, options),
      path: shownWithQuery(url),
    };
    return answered((proxy.protocol === 'https:' ? httpsRequest : httpRequest)(through), options);
  }
  const socket = await tunnel(url, proxy, options);
  const host = bare(url);
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const ca = options.ca === undefined ? {} : { ca: options.ca };
  return answered(
    httpsRequest({
      ...target(url, headers, options),
      createConnection: () => tlsConnect({ socket, ...servername, ...ca, host }),
    }),
    options,
  );
}

function target(
  url: URL,
  headers: Readonly<Record<string, string>>,
  options: HttpOptions,
): RequestOptions & { readonly ca?: string } {
  return {
    host: bare(url),
    port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, ...headers },
    agent: false,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  };
}

/** A connection through a proxy to a server that speaks TLS. */
async function tunnel(url: URL, proxy: URL, options: HttpOptions): Promise<Socket> {
  const authority = `${url.hostname}:${url.port === '' ? '443' : url.port}`;
  const request = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
    ...target(proxy, { host: authority, ...authorization('proxy-authorization', proxy) }, options),
    method: 'CONNECT',
    path: authority,
  });
  return await guarded(request, options, (resolve, reject) => {
    request.on('connect', (message, socket) => {
      if (message.statusCode === 200) resolve(socket);
      else {
        socket.destroy();
        const passing = [502, 503, 504].includes(message.statusCode ?? 0);
        reject(new TransferFailure(`the proxy ${proxy.host} answers ${message.statusCode}`, { transient: passing }));
      }
    });
  });
}

function answered(request: ClientRequest, options: HttpOptions): Promise<Body> {
  return guarded(request, options, (resolve) => {
    request.on('response', (message) => resolve(new Body(message)));
  });
}

/** Sends a request and waits for its answer, not longer than a stall lasts. */
async function guarded<T>(
  request: ClientRequest,
  options: HttpOptions,
  listen: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
): Promise<T> {
  const { signal, stallSeconds } = options;
  const stop = () => request.destroy(new Error('stopped'));
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      listen(resolve, reject);
      // Stays on for good: a late error of a request that was given up must not end the process.
      request.on('error', reject);
      signal.addEventListener('abort', stop, { once: true });
      timer = setTimeout(() => {
        const stalled = new TransferFailure(`no answer within ${stallSeconds} s`, { transient: true });
        request.destroy(stalled);
        reject(stalled);
      }, stallSeconds * 1000);
      request.end();
    });
  } catch (error) {
    signal.throwIfAborted();
    throw asFailure(error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function authorization(name: string, url: URL): Readonly<Record<string, string>> {
  if (url.username === '') return {};
  const text = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { [name]: `Basic ${Buffer.from(text).toString('base64')}` };
}

function bare(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function shownWithQuery(url: URL): string {
  return `${shownUrl(url)}${url.search}`;
}
