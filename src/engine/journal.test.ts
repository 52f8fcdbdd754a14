import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually, header } from '../../test/rig/engine.ts';
import { crashPoints } from './crash.ts';
import { Journal, type NodeRecord, readJournal } from './journal.ts';

const calls = vi.hoisted(() => ({ writes: 0, syncs: 0 }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    write: (...args: Parameters<typeof fs.write>) => {
      calls.writes++;
      fs.write(...args);
    },
    fdatasync: (...args: Parameters<typeof fs.fdatasync>) => {
      calls.syncs++;
      fs.fdatasync(...args);
    },
  };
});

const none = crashPoints(undefined);
let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-journal-'));
  file = join(dir, 'journal');
  calls.writes = 0;
  calls.syncs = 0;
});

afterEach(() => rmSync(dir, { recursive: true }));

const lines = () =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line) as NodeRecord);
const nodes = () => lines().map(({ node, phase }) => `${node}:${phase}`);

describe('writing', () => {
  test('many that wait share few writes and few syncs', async () => {
    const journal = Journal.create(file, header, none);
    await Promise.all(Array.from({ length: 500 }, (_, i) => journal.durable({ node: `n${i}`, phase: 'intent' })));
    expect(calls).toEqual({ writes: 1, syncs: 1 });
    // Steady work: as one round is being synced, all who come meanwhile make the next.
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        for (let k = 0; k < 10; k++) await journal.durable({ node: `m${i}.${k}`, phase: 'done' });
      }),
    );
    expect(calls.syncs).toBeLessThanOrEqual(1 + 20);
    await journal.close();
    expect(nodes().length).toBe(1000);
  });

  test('what is only noted is written soon, without a sync, and before anything that waits', async () => {
    const journal = Journal.create(file, header, none);
    journal.append({ node: 'a', phase: 'satisfied' });
    await eventually(() => nodes().length > 0);
    expect(nodes()).toEqual(['a:satisfied']);
    expect(calls.syncs).toBe(0);
    journal.append({ node: 'b', phase: 'satisfied' });
    await journal.durable({ node: 'c', phase: 'done' });
    expect(nodes()).toEqual(['a:satisfied', 'b:satisfied', 'c:done']);
    journal.append({ node: 'd', phase: 'satisfied' });
    await journal.close();
    expect(nodes().at(-1)).toBe('d:satisfied');
  });

  test('nobody who waits is forgotten, whenever he comes', async () => {
    const journal = Journal.create(file, header, none);
    let done = 0;
    const one = async (i: number) => {
      for (let k = 0; k < 100; k++) {
        await journal.durable({ node: `${i}.${k}`, phase: 'done' });
        // Come back after a varying number of turns, to meet the end of a round.
        for (let turn = 0; turn < (i * 7 + k) % 5; turn++) await Promise.resolve();
      }
      done++;
    };
    await Promise.all([0, 1, 2].map(one));
    expect(done).toBe(3);
    await journal.close();
    expect(nodes().length).toBe(300);
  });

  test('is readable by its owner only, and never overwritten', () => {
    void Journal.create(file, header, none);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(() => Journal.create(file, header, none)).toThrow(/cannot be written: EEXIST/);
  });
});

describe('reading', () => {
  const write = (...records: readonly (object | string)[]) =>
    writeFileSync(
      file,
      [header, ...records].map((one) => (typeof one === 'string' ? one : `${JSON.stringify(one)}\n`)).join(''),
    );

  test('a last line that a crash cut is dropped, and the next one begins where it began', async () => {
    for (const torn of [
      '{"node":"b","pha',
      '{"node":"b","phase":"done"}',
      Buffer.from('{"node":"ü').subarray(0, 10).toString('latin1'),
    ]) {
      writeFileSync(file, `${JSON.stringify(header)}\n{"node":"ä","phase":"done"}\n`);
      appendFileSync(file, torn, 'latin1');
      const { journal, replay } = Journal.reopen(file, none);
      expect([...replay.last.keys()]).toEqual(['ä']);
      await journal.durable({ node: 'c', phase: 'done' });
      await journal.close();
      expect(nodes()).toEqual(['ä:done', 'c:done']);
    }
  });

  test('damage anywhere else is an error that names the line', () => {
    write({ node: 'a', phase: 'done' }, 'rubbish\n', { node: 'b', phase: 'done' });
    expect(() => readJournal(file)).toThrow(/line 3 is not JSON/);
    write({ node: 'a', phase: 'done' }, '"text"\n');
    expect(() => readJournal(file)).toThrow(/line 3 is no record/);
    write({ node: 'a', phase: 'done' }, { nod: 'b' });
    expect(() => readJournal(file)).toThrow(/line 3 is no record/);
    writeFileSync(file, '');
    expect(() => readJournal(file)).toThrow(/no header/);
    writeFileSync(file, '{"node":"a","phase":"done"}\n');
    expect(() => readJournal(file)).toThrow(/no header/);
  });

  test('invalid bytes do not move the place where writing goes on', async () => {
    writeFileSync(
      file,
      Buffer.concat([
        Buffer.from(`${JSON.stringify(header)}\n{"node":"`),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('","phase":"done"}\n{"no'),
      ]),
    );
    const size = statSync(file).size;
    const { journal } = Journal.reopen(file, none);
    await journal.close();
    expect(statSync(file).size).toBe(size - 4);
  });

  test('says what is done, what may still run, and what would have to be undone', () => {
    write(
      { node: 'run', phase: 'resumed' },
      { node: 'done', phase: 'intent', attempt: 1, before: 'first' },
      { node: 'half', phase: 'intent', attempt: 1 },
      { node: 'done', phase: 'applied', attempt: 1 },
      { node: 'done', phase: 'done' },
      { node: 'half', phase: 'intent', attempt: 2 },
      { node: 'half', phase: 'applied', attempt: 2 },
      { node: 'lost', phase: 'intent', attempt: 1 },
      { node: 'lost', phase: 'unknown' },
      { node: 'back', phase: 'intent', attempt: 4, before: 'x' },
      { node: 'back', phase: 'reverting' },
      { node: 'back', phase: 'reverted' },
      { node: 'undoing', phase: 'intent', attempt: 1 },
      { node: 'undoing', phase: 'reverting' },
      { node: 'dirty', phase: 'intent', attempt: 1 },
      { node: 'dirty', phase: 'reverting' },
      { node: 'dirty', phase: 'dirty' },
      { node: 'done', phase: 'intent', attempt: 2, before: 'second' },
      { node: 'done', phase: 'done' },
      { node: 'fine', phase: 'satisfied' },
    );
    const { replay } = readJournal(file);
    expect(Object.fromEntries([...replay.last].map(([node, { phase }]) => [node, phase]))).toEqual({
      done: 'done',
      half: 'applied',
      lost: 'unknown',
      back: 'reverted',
      undoing: 'reverting',
      dirty: 'dirty',
      fine: 'satisfied',
    });
    expect([...replay.applied.keys()]).toEqual(['done', 'half', 'lost', 'undoing', 'dirty']);
    expect(replay.applied.get('done')!.before).toBe('first');
    expect([...replay.open]).toEqual([
      ['half', 2],
      ['lost', 1],
    ]);
    expect(Object.fromEntries(replay.attempts)).toEqual({ done: 2, half: 2, lost: 1, back: 4, undoing: 1, dirty: 1 });
    expect(replay.ended).toBeUndefined();
    expect(replay.header).toEqual(header);
    write({ node: 'run', phase: 'ended', outcome: 'failed' });
    expect(readJournal(file).replay.ended).toBe('failed');
    write({ node: 'run', phase: 'ended', outcome: 'failed' }, { node: 'run', phase: 'resumed' });
    expect(readJournal(file).replay.ended).toBeUndefined();
  });
});
