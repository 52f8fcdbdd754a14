import { Connections } from '../../../http/connections.ts';
import { type Answer, exchange, type Payload } from '../../../http/exchange.ts';
import { isRedirect, MAX_REDIRECTS } from '../../../http/get.ts';
import type { Patience } from '../../../http/retry.ts';
import { kubexmError } from '../../../model/errors/index.ts';
import { Auth, type Credentials, type Wanted } from './auth.ts';
import { parseChallenges } from './challenge.ts';
import { connectionFailure, final, isConnectionError, statusFailure } from './failure.ts';

/** A registry, and how it is reached. */
export interface RegistryOptions {
  /** As references name it: `registry.k8s.io`, `127.0.0.1:5000`. */
  readonly registry: string;
  /** Without TLS. */
  readonly plainHttp?: boolean;
  /** Certificates to trust beside the usual ones, in PEM. */
  readonly ca?: string;
  /** For registries that know their clients by certificate, in PEM. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  /** Asked when the registry wants a login. */
  readonly credentials?: () => Credentials | Promise<Credentials>;
  /** The proxy for an address as HTTPS_PROXY and NO_PROXY say, or none. */
  readonly proxyFor?: (url: URL) => URL | undefined;
  /** After so long without a byte the registry counts as stalled. Default: 30. */
  readonly stallSeconds?: number;
  /** Tries of each request. Default: 5. */
  readonly attempts?: number;
  /** Before the second try, doubled for each further one. Default: 0.5. */
  readonly delaySeconds?: number;
  /** Blobs at once. Default: 4. */
  readonly parallel?: number;
  /** Blobs larger than this are uploaded in pieces of this size. Default: 32 MiB. */
  readonly chunkBytes?: number;
}

/** One request of the distribution protocol. */
export interface Call extends Wanted {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH';
  readonly url: URL;
  /** `manifest pause:3.10`, for errors. */
  readonly what: string;
  /** The statuses that are answers; all others are failures. */
  readonly expect: readonly number[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: Payload;
  readonly slow?: boolean;
  readonly signal: AbortSignal;
}

/** What a registry may need to read a whole blob again before it says that it has it. */
const SLOW_FACTOR = 10;

/** Sends requests to one registry: logs in when asked to, follows redirects, and turns failures into words. */
export class Transport {
  readonly registry: string;
  readonly patience: Patience;
  readonly parallel: number;
  readonly chunkBytes: number;
  private readonly stallSeconds: number;
  private readonly base: URL;
  private readonly connections: Connections;
  private readonly auth: Auth;

  constructor(options: RegistryOptions) {
    const { registry, stallSeconds = 30, ca, clientCertificate, credentials, proxyFor = () => undefined } = options;
    this.registry = registry;
    this.patience = { attempts: options.attempts ?? 5, delaySeconds: options.delaySeconds ?? 0.5 };
    this.parallel = options.parallel ?? 4;
    this.chunkBytes = options.chunkBytes ?? 32 * 1024 * 1024;
    this.stallSeconds = stallSeconds;
    // The one registry whose references do not name its host.
    const host = registry === 'docker.io' ? 'registry-1.docker.io' : registry;
    this.base = new URL(`${options.plainHttp === true ? 'http' : 'https'}://${host}`);
    this.connections = new Connections({ ca, clientCertificate, proxyFor, stallSeconds });
    const secure = this.base.protocol === 'https:';
    this.auth = new Auth({ registry, secure, credentials, stallSeconds }, this.connections);
  }

  /** An address of the registry, or one that the registry gave. */
  url(path: string, from: URL = this.base): URL {
    const to = URL.canParse(path, from.href) ? new URL(path, from) : undefined;
    if (to === undefined || !/^https?:$/.test(to.protocol)) throw this.broken('it names an address that is none');
    if (from.protocol === 'https:' && to.protocol === 'http:') {
      throw this.broken(`it leads from https to http://${to.host}`);
    }
    return to;
  }

  /** Sends a request. The answer's body must be read or dropped. Throws RegistryFailure. */
  async send(call: Call): Promise<Answer> {
    for (let fresh = false; ; fresh = true) {
      const authorization = this.auth.header(call);
      const { answer, strayed } = await this.follow(call, authorization);
      if (call.expect.includes(answer.status)) return answer;
      if (answer.status !== 401 || strayed) {
        const { repository, action, what } = call;
        const request = `${call.method} ${what}`;
        throw await statusFailure(answer, { registry: this.registry, repository, action, what, request });
      }
      await answer.body.drop();
      const challenges = parseChallenges(answer.headers['www-authenticate']);
      if (fresh) throw this.auth.refusal(challenges, call);
      if (challenges.length === 0) throw this.broken('it asks for a login without saying how');
      await this.auth.renew(challenges, call, authorization, call.signal);
    }
  }

  /** An answer that no registry gives. */
  broken(reason: string): Error {
    return final(kubexmError('KX7111', { registry: this.registry, reason }));
  }

  close(): void {
    this.connections.close();
  }

  private async follow(
    call: Call,
    authorization: string | undefined,
  ): Promise<{ readonly answer: Answer; readonly strayed: boolean }> {
    let { url } = call;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      // Only the registry itself may see who is asking.
      const own = url.origin === this.base.origin;
      const answer = await this.once(call, url, own ? authorization : undefined);
      const redirect = isRedirect(answer.status) && !call.expect.includes(answer.status);
      if (!redirect || (call.method !== 'GET' && call.method !== 'HEAD')) return { answer, strayed: !own };
      await answer.body.drop();
      const { location } = answer.headers;
      if (location === undefined) throw this.broken('it redirects to nowhere');
      url = this.url(location, url);
    }
    throw this.broken(`it redirects more than ${MAX_REDIRECTS} times`);
  }

  private async once(call: Call, url: URL, authorization: string | undefined): Promise<Answer> {
    const { method, signal, payload } = call;
    const { stallSeconds } = this;
    const headers = { ...call.headers, ...(authorization === undefined ? {} : { authorization }) };
    const answerSeconds = call.slow === true ? stallSeconds * SLOW_FACTOR : undefined;
    try {
      return await exchange(this.connections, { method, url, headers, payload, signal, stallSeconds, answerSeconds });
    } catch (error) {
      signal.throwIfAborted();
      if (!isConnectionError(error)) throw error;
      throw connectionFailure(url.origin === this.base.origin ? this.registry : url.host, error);
    }
  }
}
