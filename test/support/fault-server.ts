import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecure, type Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** What a server does with the n-th request for a path, counted from 0. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse, n: number) => void;

/** A web server on the loopback that misbehaves on request and records its requests. */
export class FaultServer {
  readonly requests: {
    readonly method: string | undefined;
    readonly path: string;
    readonly range: string | undefined;
    readonly ifRange: string | undefined;
    readonly headers: IncomingMessage['headers'];
  }[] = [];
  url = '';
  private readonly server: Server | SecureServer;
  private readonly scheme: 'http' | 'https';
  private readonly sockets = new Set<Socket>();
  private readonly paths = new Map<string, Behaviour>();
  private readonly counts = new Map<string, number>();

  constructor(tls?: { readonly key: Buffer; readonly cert: Buffer }) {
    this.scheme = tls === undefined ? 'http' : 'https';
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      const path = request.url ?? '';
      this.requests.push({
        method: request.method,
        path,
        range: request.headers.range,
        ifRange: request.headers['if-range'] as string | undefined,
        headers: request.headers,
      });
      const n = this.counts.get(path) ?? 0;
      this.counts.set(path, n + 1);
      const behaviour = this.paths.get(path);
      if (behaviour === undefined) {
        response.writeHead(404);
        response.end('no such thing');
      } else behaviour(request, response, n);
    };
    this.server = tls === undefined ? createServer(handle) : createSecure(tls, handle);
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `${this.scheme}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this;
  }

  on(path: string, behaviour: Behaviour): string {
    this.paths.set(path, behaviour);
    return `${this.url}${path}`;
  }

  /** How often a path was asked for. */
  count(path: string): number {
    return this.counts.get(path) ?? 0;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Serves a content as a good server does, ranges and validators included. */
export function serve(content: Uint8Array, etag = '"v1"'): Behaviour {
  return (request, response) => {
    const match = /^bytes=([0-9]+)-$/.exec(request.headers.range ?? '');
    const ifRange = request.headers['if-range'];
    response.setHeader('etag', etag);
    if (match === null || (ifRange !== undefined && ifRange !== etag)) {
      response.setHeader('content-length', content.length);
      response.end(content);
      return;
    }
    const from = Number(match[1]);
    if (from >= content.length) {
      response.writeHead(416, { 'content-range': `bytes */${content.length}` });
      response.end();
      return;
    }
    response.writeHead(206, {
      'content-range': `bytes ${from}-${content.length - 1}/${content.length}`,
      'content-length': content.length - from,
    });
    response.end(content.subarray(from));
  };
}

/** Sends the beginning of a content as if all were to come, then cuts the connection. */
export function cut(content: Uint8Array, after: number, etag = '"v1"'): Behaviour {
  return (_request, response) => {
    response.writeHead(200, { 'content-length': content.length, etag });
    // Ended, not destroyed: what was written still arrives.
    response.write(content.subarray(0, after), () => response.socket?.end());
  };
}
