import { unlessAborted } from '../../../http/abort.ts';
import type { Connections } from '../../../http/connections.ts';
import { exchange } from '../../../http/exchange.ts';
import { kubexmError } from '../../../model/errors/index.ts';
import { MASK } from '../../../model/text/mask.ts';
import type { Challenge } from './challenge.ts';
import { connectionFailure, final, type RegistryFailure, statusFailure } from './failure.ts';

/** Who is logged in. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** What is known about the registry that one logs in to. */
export interface AuthOptions {
  readonly registry: string;
  readonly secure: boolean;
  /** Asked only when the registry wants a login; the answer is kept nowhere else. */
  readonly credentials?: (() => Credentials | Promise<Credentials>) | undefined;
  readonly stallSeconds: number;
}

/** What a request wants to do, and with what. */
export interface Wanted {
  readonly repository: string;
  readonly action: 'pull' | 'push';
  /** `repository:pause:pull` */
  readonly scopes: readonly string[];
}

interface Token {
  readonly header: string;
  /** By our own clock, counted from when it came: the server's clock may be wrong. */
  readonly until: number;
}

const TOKEN_MAX = 1024 * 1024;
/** What the specification says where a token server does not. */
const USUAL_SECONDS = 60;

/** Logs in as the registry asks for it. Nothing here is ever part of an error or can be printed. */
export class Auth {
  readonly #options: AuthOptions;
  readonly #connections: Connections;
  readonly #tokens = new Map<string, Token>();
  readonly #renewals = new Map<string, Promise<void>>();
  #basic: string | undefined;

  constructor(options: AuthOptions, connections: Connections) {
    this.#options = options;
    this.#connections = connections;
  }

  /** The header to send, as far as one is known. */
  header(wanted: Wanted): string | undefined {
    if (this.#basic !== undefined) return this.#basic;
    const token = this.#tokens.get(keyOf(wanted));
    return token !== undefined && token.until > Date.now() ? token.header : undefined;
  }

  /** Logs in after a request was refused with these challenges. Many requests at once log in once. */
  async renew(
    challenges: readonly Challenge[],
    wanted: Wanted,
    rejected: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const current = this.header(wanted);
    if (current !== undefined && current !== rejected) return;
    const key = keyOf(wanted);
    const running = this.#renewals.get(key) ?? this.#login(challenges, wanted);
    if (!this.#renewals.has(key)) {
      this.#renewals.set(key, running);
      const forget = () => void this.#renewals.delete(key);
      running.then(forget, forget);
    }
    // Others wait for the same login: a caller that is aborted stops waiting, and the login goes on.
    await unlessAborted(running, signal);
  }

  /** Why a request is refused although one has just logged in. */
  refusal(challenges: readonly Challenge[], wanted: Wanted): RegistryFailure {
    const { registry, credentials } = this.#options;
    const { repository, action } = wanted;
    if (this.#basic !== undefined) return final(kubexmError('KX7103', { registry }));
    const reason = challenges.find(({ scheme }) => scheme === 'bearer')?.params['error'];
    if (reason === 'invalid_token') return final(kubexmError('KX7113', { registry, reason }));
    if (credentials === undefined) return final(kubexmError('KX7104', { registry, repository }));
    return final(kubexmError('KX7105', { registry, action, repository }));
  }

  async #login(challenges: readonly Challenge[], wanted: Wanted): Promise<void> {
    const { registry } = this.#options;
    const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
    if (bearer !== undefined) {
      this.#tokens.set(keyOf(wanted), await this.#fetchToken(bearer, wanted));
      return;
    }
    if (!challenges.some(({ scheme }) => scheme === 'basic')) {
      const offered = challenges.map(({ scheme }) => scheme).join(', ');
      throw final(kubexmError('KX7111', { registry, reason: `it asks for a login by “${offered}”` }));
    }
    const basic = await this.#basicHeader();
    if (basic === undefined) throw final(kubexmError('KX7104', { registry, repository: wanted.repository }));
    this.#basic = basic;
  }

  async #fetchToken(challenge: Challenge, wanted: Wanted): Promise<Token> {
    const { registry, secure, stallSeconds } = this.#options;
    const { realm = '', service, scope = '' } = challenge.params;
    const bad = (reason: string) => final(kubexmError('KX7111', { registry, reason }));
    const url = URL.canParse(realm) ? new URL(realm) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) throw bad('it names no token server');
    const basic = await this.#basicHeader();
    if (basic !== undefined && secure && url.protocol === 'http:') {
      throw final(kubexmError('KX7112', { registry, address: url.host }));
    }
    if (service !== undefined) url.searchParams.set('service', service);
    const scopes = new Set([...wanted.scopes, ...scope.split(' ').filter((one) => one !== '')]);
    for (const one of scopes) url.searchParams.append('scope', one);
    const headers: Readonly<Record<string, string>> = basic === undefined ? {} : { authorization: basic };
    const { signal } = new AbortController();
    const answer = await exchange(this.#connections, { method: 'GET', url, headers, signal, stallSeconds }).catch(
      (error: unknown) => fail(connectionFailure(url.host, error)),
    );
    if (answer.status === 401 || answer.status === 403) {
      await answer.body.drop();
      if (basic === undefined) throw final(kubexmError('KX7104', { registry, repository: wanted.repository }));
      throw final(kubexmError('KX7103', { registry }));
    }
    const { repository, action } = wanted;
    if (answer.status !== 200) {
      const what = 'token';
      throw await statusFailure(answer, { registry: url.host, repository, action, what, request: 'GET token' });
    }
    const received = Date.now();
    return (
      tokenOf(await answer.body.all(TOKEN_MAX), received) ?? fail(bad(`its token server ${url.host} gives no token`))
    );
  }

  async #basicHeader(): Promise<string | undefined> {
    const found = await this.#options.credentials?.();
    if (found === undefined) return undefined;
    return `Basic ${Buffer.from(`${found.username}:${found.password}`).toString('base64')}`;
  }

  toString(): string {
    return MASK;
  }
}

function tokenOf(body: Buffer, received: number): Token | undefined {
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = JSON.parse(body.toString('utf8')) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
  const token = fields['token'] ?? fields['access_token'];
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) return undefined;
  const given = fields['expires_in'];
  const seconds = typeof given === 'number' && given > 0 ? given : USUAL_SECONDS;
  // A little early: a request on its way must still be in time.
  return { header: `Bearer ${token}`, until: received + (seconds - Math.min(10, seconds / 5)) * 1000 };
}

function keyOf({ scopes }: Wanted): string {
  return scopes.join(' ');
}

function fail(error: Error): never {
  throw error;
}
