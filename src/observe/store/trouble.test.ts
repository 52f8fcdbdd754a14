import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { everyEvent } from '../../../test/rig/every-event.ts';
import { thorough } from '../../../test/rig/thorough.ts';
import type { EventError, RunEvent } from '../../model/event.ts';
import { metricsText } from '../metrics/metrics.ts';
import { openEventReader } from './reader.ts';
import { openDatabase } from './sqlite.ts';
import { openEventStore } from './writer.ts';

const { DatabaseSync } = process.getBuiltinModule('node:sqlite');

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-store-'));
  file = join(dir, 'state/events.db');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

type Start = Extract<RunEvent, { type: 'run-started' }>;
const events = everyEvent();
const kept = events.filter(({ type }) => type !== 'node-progress' && type !== 'build-progress');
const start = events[0] as Start;
const finish = events.at(-1)!;

async function write(list: readonly RunEvent[], options = {}): Promise<EventError[]> {
  const told: EventError[] = [];
  const store = openEventStore(file, options);
  store.connect?.((error) => told.push(error));
  for (const event of list) store.write(event);
  await store.close();
  return told;
}

function read<T>(ask: (reader: ReturnType<typeof openEventReader>) => T): T {
  const reader = openEventReader(file);
  try {
    return ask(reader);
  } finally {
    reader.close();
  }
}

describe('a store shared or hurt', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  /** Another process that writes `count` finished nodes of a run, then waits to be killed or ends well. */
  function other(run: string, count: number, end: boolean): ChildProcess {
    const script = `
      const [{ openEventStore }, { everyEvent }] = await Promise.all([
        import(${JSON.stringify(new URL('./writer.ts', import.meta.url).href)}),
        import(${JSON.stringify(new URL('../../../test/rig/every-event.ts', import.meta.url).href)}),
      ]);
      const events = everyEvent().map((event) => ({ ...event, run: ${JSON.stringify(run)} }));
      const one = events.find((event) => event.type === 'node-finished');
      const store = openEventStore(${JSON.stringify(file)});
      store.connect((error) => console.log(JSON.stringify(error)));
      store.write(events[0]);
      for (let i = 0; i < ${count}; i++) {
        store.write({ ...one, durationMs: i });
        if (i % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      }
      if (${end}) { store.write(events.at(-1)); await store.close(); }
      else { await new Promise((resolve) => setTimeout(resolve, 300)); console.log('ready'); setInterval(() => {}, 1000); }`;
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    children.push(child);
    return child;
  }

  async function output(child: ChildProcess): Promise<string> {
    let text = '';
    child.stdout?.on('data', (data: Buffer) => {
      text += data.toString();
    });
    await once(child, 'close');
    return text;
  }

  it('knows a running run from one whose writer was killed', async () => {
    const child = other('killed', 50, false);
    await once(child.stdout!, 'data');
    expect(read((reader) => reader.getRun('killed'))).toMatchObject({ status: 'running', finished: undefined });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(read((reader) => reader.getRun('killed'))).toMatchObject({ status: 'unknown' });
    expect(read((reader) => reader.events({ run: 'killed' }))).toHaveLength(51);
    expect(await write([{ ...start, run: 'next' }, { ...finish, run: 'next' } as RunEvent])).toEqual([]);
    expect(read((reader) => reader.listRuns().map((run) => run.status))).toEqual(
      expect.arrayContaining(['failed', 'unknown']),
    );
  });

  it('takes several writers at once, from the very first moment', async () => {
    const runs = ['a', 'b', 'c', 'd'];
    const said = await Promise.all(runs.map((run) => output(other(run, 3000, true))));
    expect(said.join('')).toBe('');
    read((reader) => {
      for (const run of runs) {
        expect(reader.events({ run, limit: 10_000 })).toHaveLength(3002);
        expect(reader.getRun(run)?.status).toBe('failed');
      }
    });
    expect(await read((reader) => metricsText(reader))).toContain(
      'kubexm_node_outcomes_total{outcome="satisfied"} 12000',
    );
  });

  it('waits for a locked file without making the run wait', async () => {
    await write([start]);
    const locker = new DatabaseSync(file);
    locker.exec('BEGIN IMMEDIATE');
    const store = openEventStore(file);
    let longest = 0;
    for (let i = 0; i < 20; i++) {
      const before = performance.now();
      store.write(finish);
      await sleep(5);
      longest = Math.max(longest, performance.now() - before);
    }
    await sleep(300);
    // Much less than the time for which the file stays locked by others, however busy this machine is.
    expect(longest).toBeLessThan(10_000);
    expect(read((reader) => reader.events({ type: 'run-finished' }))).toHaveLength(0);
    locker.exec('ROLLBACK');
    locker.close();
    await expect
      .poll(() => read((reader) => reader.events({ type: 'run-finished' })).length, { timeout: 5000 })
      .toBe(20);
    await store.close();
  });

  it('says how many events it had to drop', async () => {
    await write([start]);
    const locker = new DatabaseSync(file);
    locker.exec('BEGIN IMMEDIATE');
    const store = openEventStore(file, { maxWaiting: 10 });
    const told: EventError[] = [];
    store.connect?.((error) => told.push(error));
    for (let i = 0; i < 25; i++) store.write(finish);
    locker.exec('ROLLBACK');
    locker.close();
    await store.close();
    expect(told).toEqual([{ code: 'KX8005', params: { count: 15, file } }]);
    expect(read((reader) => reader.events({ type: 'run-finished' }))).toHaveLength(10);
  });

  it('moves a damaged file aside with one warning and goes on', async () => {
    await write([start]);
    writeFileSync(file, 'this is no database, and long enough to be taken for one: '.repeat(100));
    const told = await write(events);
    expect(told).toMatchObject([{ code: 'KX8002', params: { file } }]);
    expect(read((reader) => reader.events())).toHaveLength(kept.length);
    expect(readdirSync(join(dir, 'state')).filter((name) => name.includes('damaged'))).not.toEqual([]);
  });

  it('goes on in a new file when the damage comes during the run', async () => {
    await write(Array.from({ length: 3000 }, () => finish));
    const told: EventError[] = [];
    const store = openEventStore(file);
    store.connect?.((error) => told.push(error));
    store.write({ ...start, run: 'hurt' });
    await sleep(100);
    const size = statSync(file).size;
    const junk = Buffer.alloc(size - 4096, 0xa5);
    const { writeSync, openSync, closeSync } = await import('node:fs');
    const fd = openSync(file, 'r+');
    writeSync(fd, junk, 0, junk.length, 4096);
    closeSync(fd);
    const wal = openSync(`${file}-wal`, 'r+');
    writeSync(wal, Buffer.alloc(statSync(`${file}-wal`).size, 0xa5));
    closeSync(wal);
    for (let i = 0; i < 50; i++) store.write({ ...finish, run: 'hurt' } as RunEvent);
    await store.close();
    expect(told.map((error) => error.code)).toEqual(['KX8002']);
    read((reader) => {
      expect(reader.getRun('hurt')).toMatchObject({ status: 'failed' });
      expect(reader.events({ run: 'hurt', type: 'run-finished' })).toHaveLength(50);
    });
  });

  it('refuses a file from the future, and leaves it as it is', async () => {
    const db = openDatabase(file, { attempts: 1, ms: 10 });
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(await write(events)).toMatchObject([{ code: 'KX8003', params: { found: 99 } }, { code: 'KX8005' }]);
    expect(() => openEventReader(file)).toThrow(expect.objectContaining({ code: 'KX8003' }));
  });

  it('reports a place where it cannot be, and a link', async () => {
    writeFileSync(join(dir, 'plain'), '');
    file = join(dir, 'plain/events.db');
    expect(await write(events)).toMatchObject([{ code: 'KX8004' }, { code: 'KX8005' }]);
    file = join(dir, 'link.db');
    symlinkSync(join(dir, 'plain'), file);
    expect((await write(events))[0]).toMatchObject({ code: 'KX8004', params: { reason: 'it is a symbolic link' } });
  });

  it('prints no warning about SQLite, and keeps other warnings', async () => {
    const url = JSON.stringify(new URL('./writer.ts', import.meta.url).href);
    const script = `const { openEventStore } = await import(${url});
      await openEventStore(${JSON.stringify(file)}).close(); process.emitWarning('something else');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (data: Buffer) => {
      said += data.toString();
    });
    await once(child, 'close');
    expect(said).toContain('something else');
    expect(said).not.toContain('SQLite');
  });

  it('takes a hundred thousand events, and loses none', async () => {
    const one = events.find((event) => event.type === 'node-finished')!;
    const count = thorough ? 100_000 : 25_000;
    const store = openEventStore(file, { maxWaiting: 200_000 });
    for (let i = 0; i < count; i++) store.write(one);
    await store.close();
    expect(read((reader) => reader.events({ limit: 200_000 }))).toHaveLength(count);
  });
});
