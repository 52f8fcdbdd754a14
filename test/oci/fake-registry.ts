import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** What the registry was asked. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

/** Answers a request in its own way and returns true, or leaves it to the registry. `n` counts equal methods and paths. */
export type Fault = (request: IncomingMessage, response: ServerResponse, n: number) => boolean;

/** How one logs in. */
export interface FakeLogin {
  readonly scheme: 'basic' | 'bearer';
  readonly username: string;
  readonly password: string;
  /** How long a token is good for; what the token server says about it is another matter. */
  readonly tokenMs?: number;
  readonly saidSeconds?: number;
  /** What tokens are given for, beside what anybody may have. */
  readonly allowed?: (scope: string) => boolean;
  readonly realm?: string;
}

/** A registry in memory on the loopback, which misbehaves on request. */
export class FakeRegistry {
  readonly blobs = new Map<string, Buffer>();
  readonly manifests = new Map<string, { readonly bytes: Buffer; readonly type: string }>();
  readonly seen: Seen[] = [];
  fault: Fault = () => false;
  login: FakeLogin | undefined;
  mounts = true;
  private readonly uploads = new Map<string, Buffer[]>();
  private readonly tokens = new Map<string, { readonly until: number; readonly scopes: readonly string[] }>();
  private readonly counts = new Map<string, number>();
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private readonly secure: boolean;
  private port = 0;

  constructor(tls?: { readonly key: Buffer; readonly cert: Buffer }) {
    this.secure = tls !== undefined;
    const handle = (request: IncomingMessage, response: ServerResponse) => void this.handle(request, response);
    this.server = tls === undefined ? createServer(handle) : (createSecure(tls, handle) as unknown as Server);
    this.server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `${this.secure ? 'https' : 'http'}://${this.host}`;
  }

  /** `PUT /v2/a/blobs/uploads` and the like, as often as they came. */
  calls(method: string, part: string): readonly Seen[] {
    return this.seen.filter((one) => one.method === method && one.path.includes(part));
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Has what another one has, as if it had been pushed here too. */
  holdSameAs(other: FakeRegistry): void {
    for (const [digest, bytes] of other.blobs) this.blobs.set(digest, bytes);
    for (const [name, manifest] of other.manifests) this.manifests.set(name, manifest);
  }

  /** Makes every token invalid, as if its time were over. */
  expireTokens(): void {
    this.tokens.clear();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    this.seen.push({ method, path, headers });
    request.on('error', () => undefined);
    const key = `${method} ${path.replace(/\?.*/, '')}`;
    const n = this.counts.get(key) ?? 0;
    this.counts.set(key, n + 1);
    if (this.fault(request, response, n)) return;
    if (path.startsWith('/token')) return this.token(request, response);
    const refusal = this.refusal(request);
    if (refusal !== undefined) {
      request.resume();
      response
        .writeHead(401, { 'www-authenticate': refusal })
        .end('{"errors":[{"code":"UNAUTHORIZED","message":"no"}]}');
      return;
    }
    const url = new URL(path, this.url);
    const match = /^\/v2\/(.+)\/(manifests|blobs)\/(uploads\/)?(.*)$/.exec(url.pathname);
    const [, repository = '', kind = '', uploads, rest = ''] = match ?? [];
    if (match === null) response.writeHead(404).end();
    else if (kind === 'manifests') await this.manifest(request, response, repository, rest);
    else if (uploads === undefined) this.blob(request, response, rest);
    else await this.upload(request, response, repository, rest, url.searchParams);
  }

  private token(request: IncomingMessage, response: ServerResponse): void {
    const { username, password, tokenMs = 60_000, saidSeconds = 300, allowed = () => true } = this.login ?? fail();
    const given = request.headers.authorization;
    const right = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    if (given !== right) {
      response.writeHead(401).end();
      return;
    }
    const scopes = new URL(request.url ?? '', this.url).searchParams.getAll('scope').filter(allowed);
    const token = randomUUID();
    this.tokens.set(token, { until: Date.now() + tokenMs, scopes });
    response.writeHead(200).end(JSON.stringify({ token, expires_in: saidSeconds }));
  }

  private refusal(request: IncomingMessage): string | undefined {
    const { login } = this;
    if (login === undefined) return undefined;
    const given = request.headers.authorization ?? '';
    if (login.scheme === 'basic') {
      const right = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`;
      return given === right ? undefined : 'Basic realm="fake"';
    }
    const repository = /^\/v2\/(.+?)\/(?:manifests|blobs)/.exec(request.url ?? '')?.[1] ?? '';
    const action = request.method === 'GET' || request.method === 'HEAD' ? 'pull' : 'push';
    const realm = login.realm ?? `${this.url}/token`;
    const challenge = `Bearer realm="${realm}",service="fake",scope="repository:${repository}:${action === 'pull' ? 'pull' : 'pull,push'}"`;
    if (given === '') return challenge;
    const token = this.tokens.get(given.replace(/^Bearer /, ''));
    if (token === undefined || token.until < Date.now()) return `${challenge},error="invalid_token"`;
    const granted = token.scopes.some((scope) => {
      const [, name, actions = ''] = scope.split(':');
      return name === repository && actions.split(',').includes(action);
    });
    return granted ? undefined : `${challenge},error="insufficient_scope"`;
  }

  private async manifest(
    request: IncomingMessage,
    response: ServerResponse,
    repository: string,
    version: string,
  ): Promise<void> {
    if (request.method === 'PUT') {
      const bytes = await bodyOf(request);
      const digest = digestOf(bytes);
      const kept = { bytes, type: request.headers['content-type'] ?? '' };
      for (const name of [version, digest]) this.manifests.set(`${repository}:${name}`, kept);
      response.writeHead(201, { 'docker-content-digest': digest }).end();
      return;
    }
    const found = this.manifests.get(`${repository}:${version}`);
    if (found === undefined) {
      response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
      return;
    }
    const headers = { 'content-type': found.type, 'docker-content-digest': digestOf(found.bytes) };
    response.writeHead(200, { ...headers, 'content-length': found.bytes.length });
    response.end(request.method === 'HEAD' ? undefined : found.bytes);
  }

  private blob(request: IncomingMessage, response: ServerResponse, digest: string): void {
    const bytes = this.blobs.get(digest);
    if (bytes === undefined) {
      // Without a length Node closes the connection after a HEAD.
      response.writeHead(404, { 'content-length': 0 }).end();
      return;
    }
    const from = Number(/^bytes=([0-9]+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (from > 0) {
      const range = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
      response.writeHead(206, { 'content-range': range, 'content-length': bytes.length - from });
    } else response.writeHead(200, { 'content-length': bytes.length });
    response.end(request.method === 'HEAD' ? undefined : bytes.subarray(from));
  }

  private async upload(
    request: IncomingMessage,
    response: ServerResponse,
    repository: string,
    id: string,
    query: URLSearchParams,
  ): Promise<void> {
    if (request.method === 'POST') {
      const mounted = query.get('mount');
      if (this.mounts && mounted !== null && this.blobs.has(mounted)) {
        response.writeHead(201).end();
        return;
      }
      const made = randomUUID();
      this.uploads.set(made, []);
      response.writeHead(202, { location: `/v2/${repository}/blobs/uploads/${made}?state=1`, range: '0-0' }).end();
      return;
    }
    const data = this.uploads.get(id);
    if (data === undefined) {
      request.resume();
      response.writeHead(404).end();
      return;
    }
    const size = () => data.reduce((sum, one) => sum + one.length, 0);
    const start = /^([0-9]+)-/.exec(String(request.headers['content-range'] ?? ''))?.[1];
    if (request.method !== 'GET') {
      if (start !== undefined && Number(start) !== size()) {
        request.resume();
        response.writeHead(416).end();
        return;
      }
      // Kept as it comes, so that a cut leaves what had come.
      const whole = await new Promise<boolean>((resolve) => {
        request.on('data', (chunk: Buffer) => data.push(chunk));
        request.on('end', () => resolve(true));
        request.on('close', () => resolve(false));
      });
      if (!whole) return;
    }
    if (request.method === 'PUT') {
      const whole = Buffer.concat(data);
      if (digestOf(whole) !== query.get('digest')) {
        response.writeHead(400).end('{"errors":[{"code":"DIGEST_INVALID","message":"digest invalid"}]}');
        return;
      }
      this.blobs.set(digestOf(whole), whole);
      this.uploads.delete(id);
      response.writeHead(201).end();
      return;
    }
    const headers = {
      location: `/v2/${repository}/blobs/uploads/${id}?state=${size()}`,
      range: `0-${Math.max(0, size() - 1)}`,
    };
    response.writeHead(request.method === 'GET' ? 204 : 202, headers).end();
  }
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function fail(): never {
  throw new Error('there is no login here');
}
