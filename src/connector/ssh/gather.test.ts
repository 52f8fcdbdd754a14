import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { gatherWrites, lend } from './gather.ts';

const filled = (size: number, byte: number): Uint8Array => new Uint8Array(new ArrayBuffer(size)).fill(byte);

describe('what is written in one turn', () => {
  const open: { destroy(): void }[] = [];
  afterEach(() => {
    for (const one of open.splice(0)) one.destroy();
  });

  async function pair(): Promise<[sender: Socket, receiver: Socket]> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address() as { readonly port: number };
    const sender = connect(address.port, '127.0.0.1');
    const [receiver] = (await once(server, 'connection')) as [Socket];
    server.close();
    open.push(sender, receiver);
    return [sender, receiver];
  }

  async function received(from: Socket, size: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of from) {
      chunks.push(chunk as Buffer);
      if (chunks.reduce((sum, { length }) => sum + length, 0) >= size) break;
    }
    return Buffer.concat(chunks);
  }

  test('arrives whole on a socket; lent memory is given back when it is sent, other memory is not', async () => {
    const [sender, receiver] = await pair();
    const stream = gatherWrites(sender);
    const kept = filled(70_000, 1);
    const lent = lend(filled(70_000, 2));
    const small = lend(Buffer.from('small'));
    for (const bytes of [kept, lent, small]) stream.write(bytes);
    expect(lent.byteLength, 'not before').toBe(70_000);
    const all = await received(receiver, 140_005);
    expect(all).toEqual(Buffer.concat([filled(70_000, 1), filled(70_000, 2), Buffer.from('small')]));
    await expect.poll(() => lent.byteLength).toBe(0);
    expect([kept.byteLength, small.toString()]).toEqual([70_000, 'small']);
  });

  test('becomes one write on a channel, and lent memory is given back', async () => {
    const through = new PassThrough();
    const chunks: Buffer[] = [];
    through.on('data', (chunk: Buffer) => chunks.push(chunk));
    const stream = gatherWrites(through);
    const lent = lend(filled(40_000, 3));
    stream.write(filled(4, 1));
    stream.write(lent);
    await turn();
    expect(chunks).toEqual([Buffer.concat([filled(4, 1), filled(40_000, 3)])]);
    expect(lent.byteLength).toBe(0);
  });

  test('alone on a channel is passed on as it is: it still belongs to who reads it', async () => {
    const through = new PassThrough();
    const stream = gatherWrites(through);
    stream.write(lend(filled(40_000, 4)));
    await turn();
    expect(through.read()).toEqual(Buffer.from(filled(40_000, 4)));
  });

  test('is dropped without a word on a channel that has closed', async () => {
    const through = new PassThrough();
    const stream = gatherWrites(through);
    stream.write(filled(4, 1));
    through.end();
    await turn();
    expect(through.read()).toBeNull();
  });
});
