import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Gives tokens as the distribution project specifies them, to one user. */
export class TokenServer {
  /** Seconds from now until the tokens that are given run out. */
  lifetime = 300;
  /** Which of the actions that are asked for are granted. */
  grant: (action: string) => boolean = () => true;
  /** Signs with another key than the registry knows. */
  forged = false;
  given = 0;
  /** The public key, as a JSON Web Key Set. */
  readonly keys: string;
  private readonly keyPair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private readonly other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private readonly server: Server;

  constructor(authorization: string) {
    const key = { ...this.keyPair.publicKey.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'ES256' };
    this.keys = JSON.stringify({ keys: [key] });
    this.server = createServer((request, response) => {
      if (request.headers.authorization !== authorization) {
        response.writeHead(401).end();
        return;
      }
      const scopes = new URL(request.url ?? '', 'http://here').searchParams.getAll('scope');
      response.writeHead(200).end(JSON.stringify({ token: this.token(scopes), expires_in: 300 }));
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/token`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private token(scopes: readonly string[]): string {
    this.given++;
    const now = Math.floor(Date.now() / 1000);
    const access = scopes.map((scope) => {
      const [type, name, actions = ''] = scope.split(':');
      return { type, name, actions: actions.split(',').filter(this.grant) };
    });
    const claims = {
      iss: 'test',
      sub: 'me',
      aud: 'registry',
      exp: now + this.lifetime,
      nbf: now - 600,
      iat: now,
      access,
    };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ typ: 'JWT', alg: 'ES256', kid: 'test' })}.${part(claims)}`;
    const { privateKey } = this.forged ? this.other : this.keyPair;
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  }
}
