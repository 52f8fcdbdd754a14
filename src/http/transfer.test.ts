import { afterEach, beforeEach, expect, test } from 'vitest';
import { FaultServer, serve } from '../../test/support/fault-server.ts';
import { Connections } from './connections.ts';
import { exchange } from './exchange.ts';
import { HttpFailure, WrongLength } from './failure.ts';
import type { HttpOptions } from './get.ts';
import { proxyFor } from './proxy.ts';
import { type Expected, type Sink, transfer } from './transfer.ts';

const content = Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 251));
const { signal } = new AbortController();
let server: FaultServer;
let connections: Connections;

class Memory implements Sink {
  bytes: Buffer;

  constructor(begun: Buffer = Buffer.alloc(0)) {
    this.bytes = begun;
  }

  get size(): number {
    return this.bytes.length;
  }

  async append(chunk: Uint8Array): Promise<void> {
    this.bytes = Buffer.concat([this.bytes, chunk]);
  }

  async reset(): Promise<void> {
    this.bytes = Buffer.alloc(0);
  }
}

beforeEach(async () => {
  server = await new FaultServer().start();
  connections = new Connections({ proxyFor: () => undefined, stallSeconds: 1 });
});
afterEach(async () => {
  connections.close();
  await server.stop();
});

async function into(sink: Sink, path: string, expected: Expected = { checked: true }): Promise<void> {
  const options: HttpOptions = { connections, signal, stallSeconds: 1, keepHttps: false };
  await transfer(new URL(path, server.url), sink, expected, options, () => undefined);
}

test.each([0, 1, 4999])('from byte %d on', async (from) => {
  server.on('/f', serve(content));
  const sink = new Memory(content.subarray(0, from));
  await into(sink, '/f');
  expect(sink.bytes).toEqual(content);
});

test('a server that knows no ranges sends all of it', async () => {
  server.on('/f', (_request, response) => void response.end(content));
  const sink = new Memory(Buffer.from('something else'));
  await into(sink, '/f');
  expect(sink.bytes).toEqual(content);
});

test('a range that is not up to the end is not the whole file', async () => {
  server.on('/f', (_request, response) => {
    response.writeHead(206, { 'content-range': 'bytes 100-199/5000', 'content-length': 100 });
    response.end(content.subarray(100, 200));
  });
  const sink = new Memory(content.subarray(0, 100));
  await expect(into(sink, '/f', { checked: false })).rejects.toThrow('ended after 200 of 5000 bytes');
  // What came is right: the next try goes on from there.
  expect(sink.size).toBe(200);
});

test('a part that nobody asked for is no answer', async () => {
  server.on('/f', (_request, response) => {
    response.writeHead(206, { 'content-range': 'bytes 0-9/5000', 'content-length': 10 });
    response.end(content.subarray(0, 10));
  });
  const sink = new Memory();
  await expect(into(sink, '/f')).rejects.toThrow('status 206');
  expect(sink.size).toBe(0);
});

test('more than there can be', async () => {
  server.on('/f', (_request, response) => {
    response.write(content);
    response.end(content);
  });
  const sink = new Memory();
  await expect(into(sink, '/f', { checked: true, bytes: 5000 })).rejects.toThrow(WrongLength);
  expect(sink.size).toBe(0);
});

test('an error of the sink is passed on unchanged', async () => {
  server.on('/f', serve(content));
  const full = new Memory();
  full.append = async () => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };
  const error = await into(full, '/f').catch((thrown: unknown) => thrown);
  expect(error).not.toBeInstanceOf(HttpFailure);
  expect(error).toMatchObject({ code: 'ENOSPC' });
});

test('an answer that trickles is given up', async () => {
  server.on('/f', (_request, response) => {
    const timer = setInterval(() => response.write('x'), 50);
    response.on('close', () => clearInterval(timer));
  });
  const url = new URL('/f', server.url);
  const answer = await exchange(connections, { method: 'GET', url, headers: {}, signal, stallSeconds: 1 });
  await expect(answer.body.all(1000, 0.3)).rejects.toThrow('takes longer than 0.3 s');
});

test('a proxy does not learn the password of a server', async () => {
  const seen: string[] = [];
  server.on('http://dl.example/f?x=1', (request, response) => {
    seen.push(`${request.url} ${request.headers.authorization ?? ''}`);
    response.end(content);
  });
  const through = new Connections({ proxyFor: (url) => proxyFor(url, { HTTP_PROXY: server.url }), stallSeconds: 1 });
  const sink = new Memory();
  const options: HttpOptions = { connections: through, signal, stallSeconds: 1, keepHttps: false };
  await transfer(new URL('http://me:secret@dl.example/f?x=1'), sink, { checked: true }, options, () => undefined);
  through.close();
  expect(seen).toEqual([`http://dl.example/f?x=1 Basic ${Buffer.from('me:secret').toString('base64')}`]);
});
