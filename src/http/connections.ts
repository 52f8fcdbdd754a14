import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { getCACertificates, connect as tlsConnect } from 'node:tls';
import { HttpFailure } from './failure.ts';

/** How connections are made. */
export interface ConnectionOptions {
  /** Certificates to trust beside the usual ones, in PEM. */
  readonly ca?: string | undefined;
  /** For servers that know their clients by certificate, in PEM. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string } | undefined;
  /** The proxy for an address, or none. */
  readonly proxyFor: (url: URL) => URL | undefined;
  readonly stallSeconds: number;
}

/** What a request needs to reach its address. */
export interface Route {
  readonly options: RequestOptions;
  readonly headers: Readonly<Record<string, string>>;
  readonly secure: boolean;
}

/** How servers and this client prove who they are. */
interface Trust {
  /** Always set: Node takes its default from NODE_TLS_REJECT_UNAUTHORIZED, which turns off every check without a word in the logs. */
  readonly rejectUnauthorized: true;
  readonly ca?: string[];
  readonly cert?: string;
  readonly key?: string;
}

/** Connections that are kept open between requests, direct ones and through proxies. */
export class Connections {
  private readonly options: ConnectionOptions;
  private readonly trust: Trust;
  private readonly plain = new HttpAgent({ keepAlive: true });
  private readonly secure: HttpsAgent;
  private readonly tunnels = new Map<string, Tunnel>();

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.trust = {
      rejectUnauthorized: true,
      ...(options.ca === undefined ? {} : { ca: [...getCACertificates('default'), options.ca] }),
      ...options.clientCertificate,
    };
    this.secure = new HttpsAgent({ keepAlive: true, ...this.trust });
  }

  /** How an address is reached. */
  route(url: URL): Route {
    const proxy = this.options.proxyFor(url);
    const secure = url.protocol === 'https:';
    if (proxy !== undefined && !secure) {
      const proxySecure = proxy.protocol === 'https:';
      return {
        options: { ...to(proxy), path: absolute(url), agent: proxySecure ? this.secure : this.plain },
        headers: proxyAuthorization(proxy),
        secure: proxySecure,
      };
    }
    const agent = proxy !== undefined ? this.tunnel(proxy) : secure ? this.secure : this.plain;
    return { options: { ...to(url), path: `${url.pathname}${url.search}`, agent }, headers: {}, secure };
  }

  close(): void {
    for (const agent of [this.plain, this.secure, ...this.tunnels.values()]) agent.destroy();
  }

  private tunnel(proxy: URL): Tunnel {
    const known = this.tunnels.get(proxy.href);
    if (known !== undefined) return known;
    const made = new Tunnel(proxy, this.trust, this.options.stallSeconds);
    this.tunnels.set(proxy.href, made);
    return made;
  }
}

/** Connections through a proxy to servers that speak TLS. */
class Tunnel extends HttpsAgent {
  private readonly proxy: URL;
  private readonly trust: Trust;
  private readonly stallSeconds: number;

  constructor(proxy: URL, trust: Trust, stallSeconds: number) {
    super({ keepAlive: true, ...trust });
    this.proxy = proxy;
    this.trust = trust;
    this.stallSeconds = stallSeconds;
  }

  override createConnection(
    options: RequestOptions,
    callback: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const host = String(options.host);
    const refuse = (error: Error) => (callback as (error: Error) => void)(error);
    const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${options.port ?? 443}`;
    const request = (this.proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
      ...to(this.proxy),
      ...this.trust,
      agent: false,
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...proxyAuthorization(this.proxy) },
    });
    request.setTimeout(this.stallSeconds * 1000, () => {
      request.destroy(
        new HttpFailure(`the proxy ${this.proxy.host} does not answer within ${this.stallSeconds} s`, {
          transient: true,
        }),
      );
    });
    request.on('error', refuse);
    request.on('connect', (message, socket) => {
      if (message.statusCode === 200) {
        socket.setTimeout(0);
        const name = isIP(host) === 0 ? { servername: host } : {};
        callback(null, tlsConnect({ ...this.trust, ...name, socket, host }));
        return;
      }
      socket.destroy();
      const transient = [502, 503, 504].includes(message.statusCode ?? 0);
      refuse(new HttpFailure(`the proxy ${this.proxy.host} answers ${message.statusCode}`, { transient }));
    });
    request.end();
    return undefined;
  }
}

function to(url: URL): { readonly host: string; readonly port: number } {
  const usual = url.protocol === 'https:' ? 443 : 80;
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? usual : Number(url.port) };
}

/** As a proxy is asked for it: a password in it is meant for the server alone. */
function absolute(url: URL): string {
  return `${url.origin}${url.pathname}${url.search}`;
}

function proxyAuthorization(proxy: URL): Readonly<Record<string, string>> {
  if (proxy.username === '') return {};
  const text = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` };
}
