import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Channel, Connection, Exit } from '../connector/connection.ts';
import { DEADLINES } from '../model/deadlines.ts';
import { AnswerReader, TooMuchPrinted } from './answer.ts';
import { getFile } from './get.ts';
import type { Link } from './link.ts';
import { logIn } from './login.ts';

const MIB = 1024 * 1024;
const NONCE = '0123456789abcdef01234567';

/** What buffers of this process take, in MiB, when nobody needs more than he must. */
const bufferMib = (): number => process.memoryUsage().arrayBuffers / MIB;

describe('an answer', () => {
  const asked = (id: string) => (id === '7' ? { scripts: 2, maxBytes: 1000 } : undefined);
  const push = (reader: AnswerReader, text: string) => reader.push(Buffer.from(text), asked);

  test('what stands between answers is not kept', () => {
    const reader = new AnswerReader(NONCE);
    const noise = Buffer.alloc(MIB, `\n${NONCE}`);
    const before = bufferMib();
    for (let i = 0; i < 200; i++) expect(reader.push(noise, asked)).toEqual([]);
    expect(bufferMib() - before).toBeLessThan(100);
    expect(push(reader, `\n${NONCE} 7 0 3\n\n${NONCE} 7 .\n`)).toMatchObject([{ id: '7' }]);
  });

  test.each([
    ['a first line without end', `\n${NONCE} 7 ${'0 '.repeat(100)}`, 1000],
    ['more scripts than were sent', `\n${NONCE} 7 0 0 0\n`, 1],
    ['more output than was asked for', `\n${NONCE} 7 0o 0\n==> ${NONCE}.7.1.o <==\n`, 0],
    ['an answer that nobody asked for', `\n${NONCE} 9 0o\n==> ${NONCE}.9.1.o <==\n`, 0],
  ])('%s breaks the shell', (_, text, times) => {
    const reader = new AnswerReader(NONCE);
    expect(() => {
      push(reader, text);
      for (let i = 0; i < Math.max(times, 100); i++) push(reader, times > 1 ? '0 '.repeat(500) : 'x'.repeat(1000));
    }).toThrow(TooMuchPrinted);
  });

  test('all that was asked for is taken', () => {
    const reader = new AnswerReader(NONCE);
    const long = 'x'.repeat(1001);
    const streams = ['1.o', '1.e', '2.o', '2.e'].map((name) => `==> ${NONCE}.7.${name} <==\n${long}`).join('\n');
    const [answer] = push(reader, `\n${NONCE} 7 0oe 0oe\n${streams}\n${NONCE} 7 .\n`);
    expect(answer?.parts).toMatchObject([
      { output: { stdout: long.slice(1), truncated: true } },
      { output: { stderr: long.slice(1) } },
    ]);
  });
});

/** A channel whose command does as the test says. */
function fakeChannel(): Channel & { stdout: PassThrough; stderr: PassThrough; stdin: PassThrough; closed: boolean } {
  const { promise: exit, resolve } = Promise.withResolvers<Exit>();
  const channel = {
    stdin: new PassThrough(),
    stdout: new PassThrough({ highWaterMark: 16 * MIB }),
    stderr: new PassThrough({ highWaterMark: 16 * MIB }),
    exit,
    closed: false,
    close(): void {
      channel.closed = true;
      resolve({ code: undefined, signal: undefined });
    },
  };
  return channel;
}

describe('a login', () => {
  const begin = async (): Promise<{
    channel: ReturnType<typeof fakeChannel>;
    nonce: string;
    done: Promise<unknown>;
  }> => {
    const channel = fakeChannel();
    let command = '';
    const connection = {
      exec: (text: string) => {
        command = text;
        return Promise.resolve(channel);
      },
    } as unknown as Connection;
    const done = logIn(connection, { host: 'h', user: 'u', sudo: true, sudoPassword: 'secret' });
    done.catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    const [, first, second] = /a=(\w+) b=(\w+)/.exec(command) ?? [];
    return { channel, nonce: `${first}${second}`, done };
  };

  test('that prints without end is given up', async () => {
    for (const stream of ['stdout', 'stderr'] as const) {
      const { channel, done } = await begin();
      const started = performance.now();
      // In small pieces: to look at everything again for each would take minutes.
      for (let i = 0; i < 40_000; i++) channel[stream].write('x'.repeat(64));
      await expect(done).rejects.toMatchObject({ code: 'KX3020' });
      expect(performance.now() - started).toBeLessThan(20_000);
      expect(channel.closed).toBe(true);
    }
  });

  test('marks are found in any pieces, behind much else', async () => {
    const { channel, nonce, done } = await begin();
    const said: string[] = [];
    channel.stdin.on('data', (chunk: Buffer) => said.push(chunk.toString()));
    channel.stdout.write('motd '.repeat(50_000));
    for (const letter of `${nonce}-password`) channel.stderr.write(letter);
    await expect.poll(() => said).toEqual(['secret\n']);
    for (const letter of `\n${nonce}-ready\nrest`) channel.stdout.write(letter);
    await expect(done).resolves.toMatchObject({ pty: false });
    await expect.poll(() => channel.stdout.read()?.toString() ?? '').toContain('r');
  });

  test('a second prompt means that the password was wrong, however far behind', async () => {
    const { channel, nonce, done } = await begin();
    channel.stderr.write(`${nonce}-password`);
    channel.stderr.write('x'.repeat(100_000));
    channel.stderr.write(`${nonce}-password`);
    await expect(done).rejects.toMatchObject({ code: 'KX3022' });
  });
});

describe('a file from a host', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'kx-hostile-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const get = async (stdout: Readable, maxBytes?: number): Promise<unknown> => {
    const channel = { ...fakeChannel(), stdout };
    const connection = { alive: true, closed: new Promise(() => undefined) };
    const info = { stateDir: '/s', runDir: '/r' };
    const stream = () => Promise.resolve({ channel, pty: false, connection });
    const link = { host: 'h', info, deadlines: DEADLINES, stream } as unknown as Link;
    return getFile(link, '/f', join(dir, 'f'), maxBytes === undefined ? {} : { maxBytes });
  };
  const endless = (first: string): Readable =>
    Readable.from(
      (function* () {
        yield Buffer.from(first);
        for (;;) yield Buffer.alloc(MIB);
      })(),
    );

  test.each<readonly [string, string, number | undefined, string]>([
    ['that is bigger than what is wanted', '5000\n', 4000, 'KX3037'],
    ['that is bigger than anything', '1000000000000\n', undefined, 'KX3037'],
    ['that goes on behind its end', '5\n', undefined, 'KX3035'],
    ['whose size is no number', 'many\n', undefined, 'KX3035'],
    ['whose size is not told', 'x'.repeat(100), undefined, 'KX3035'],
    ['whose size is nothing', '\n', undefined, 'KX3035'],
  ])('%s is refused, and nothing of it stays', async (_, first, maxBytes, code) => {
    await expect(get(endless(first), maxBytes)).rejects.toMatchObject({ code, params: { host: 'h', path: '/f' } });
    expect(await readdir(dir)).toEqual([]);
  });

  test('one that is as it says is taken', async () => {
    await get(Readable.from([Buffer.from('1'), Buffer.from('0\nhello'), Buffer.from('hello')]));
    expect(await readdir(dir)).toEqual(['f']);
  });
});
