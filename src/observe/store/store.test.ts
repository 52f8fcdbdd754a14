import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { everyEvent } from '../../../test/rig/every-event.ts';
import type { EventError, RunEvent } from '../../model/event.ts';
import { metricsText } from '../metrics/metrics.ts';
import { Redactor } from '../redact/redactor.ts';
import { fanOut } from '../sink.ts';
import { openEventReader } from './reader.ts';
import { openEventStore } from './writer.ts';

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

describe('the event store', () => {
  it('gives back what was written', async () => {
    expect(await write(events)).toEqual([]);
    const found = read((reader) => reader.events({ run: 'run-1' }));
    expect(found.map((one) => one.event)).toEqual(kept);
    expect(found.map((one) => one.id)).toEqual(kept.map((_, i) => i + 1));
    expect(read((reader) => reader.getRun('run-1'))).toEqual({
      id: 'run-1',
      pipeline: 'create cluster',
      cluster: 'prod',
      hosts: ['node1', 'node2'],
      nodes: 12,
      planHash: 'sha256:77',
      dryRun: false,
      starts: 1,
      startedAt: start.at,
      lastAt: start.at,
      status: 'failed',
      finished: finish,
      counts: { changed: 3, failed: 1 },
    });
  });

  it('keeps no stack: its readers may not have asked for one', async () => {
    const failed = events.find((event) => event.type === 'node-finished' && event.error !== undefined);
    if (failed?.type !== 'node-finished' || !failed.error) throw new Error('no event has an error');
    await write([start, { ...failed, error: { ...failed.error, stack: 'Error\n    at read (net.ts:1)' } }]);
    expect(read((reader) => reader.events({ run: 'run-1' })).map((one) => one.event)).toEqual([start, failed]);
  });

  it('answers narrower questions', async () => {
    const later = events.map((event) => ({ ...event, run: 'run-2', at: event.at + 1000 })) as RunEvent[];
    await write([...events, ...later]);
    read((reader) => {
      const types = (found: readonly { event: RunEvent }[]) => found.map((one) => one.event.type);
      expect(reader.events({ run: 'run-2' })).toHaveLength(kept.length);
      expect(types(reader.events({ run: 'run-1', type: 'warning' }))).toEqual(['warning']);
      expect(types(reader.events({ run: 'run-1', type: ['message', 'node-retry'] }))).toEqual([
        'node-retry',
        'message',
        'message',
      ]);
      expect(types(reader.events({ run: 'run-1', host: 'node2' }))).toEqual(['host-lost']);
      expect(reader.events({ node: 'etcd/*@node1' }).length).toBe(
        reader.events({ node: 'etcd/install/unit@node1' }).length,
      );
      expect(reader.events({ node: 'etcd/[i]*' })).toEqual([]);
      expect(reader.events({ since: start.at + 1 })).toHaveLength(kept.length);
      expect(reader.events({ limit: 2 }).map((one) => one.event.run)).toEqual(['run-2', 'run-2']);
      expect(reader.events({ after: 3, limit: 2 }).map((one) => one.id)).toEqual([4, 5]);
      expect(reader.events({ type: [] })).toEqual([]);
    });
  });

  it('lists runs, the newest first', async () => {
    const runs: Start[] = [1, 2, 3].map((n) => ({ ...start, run: `r${n}`, at: n, cluster: n === 2 ? 'lab' : 'prod' }));
    await write(runs);
    read((reader) => {
      expect(reader.listRuns().map((run) => run.id)).toEqual(['r3', 'r2', 'r1']);
      expect(reader.listRuns({ limit: 1 }).map((run) => run.id)).toEqual(['r3']);
      expect(reader.listRuns({ cluster: 'lab', pipeline: 'create cluster' }).map((run) => run.id)).toEqual(['r2']);
      expect(reader.listRuns({ pipeline: "x' OR 1=1 --" })).toEqual([]);
      expect(reader.getRun('nope')).toBeUndefined();
    });
  });

  it('is empty where there is none, and reading makes no file', () => {
    expect(read((reader) => [reader.listRuns(), reader.events(), reader.totals(), reader.getRun('x')])).toEqual([
      [],
      [],
      [],
      undefined,
    ]);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('reopens a run that is resumed', async () => {
    await write(events);
    const store = openEventStore(file);
    store.write({ ...start, resumed: true, at: start.at + 5000, nodes: 13 });
    await store.close();
    expect(read((reader) => reader.getRun('run-1'))).toMatchObject({
      status: 'running',
      starts: 2,
      nodes: 13,
      startedAt: start.at,
      finished: undefined,
    });
  });

  it('is readable by its owner only, with all its files', async () => {
    await write([start]);
    chmodSync(file, 0o644);
    const store = openEventStore(file);
    store.write(start);
    await sleep(150);
    for (const name of readdirSync(join(dir, 'state')))
      expect(statSync(join(dir, 'state', name)).mode & 0o777, name).toBe(0o600);
    expect(readdirSync(join(dir, 'state')).length).toBeGreaterThan(1);
    expect(statSync(join(dir, 'state')).mode & 0o777).toBe(0o700);
    await store.close();
  });

  it('holds no planted secret, in any of its files', async () => {
    const redactor = new Redactor();
    redactor.add('planted-Secret-77');
    const planted = everyEvent((text) => `${text}planted-Secret-77`);
    const sink = fanOut(redactor, [openEventStore(file)]);
    for (const event of planted) sink(event);
    await sleep(200);
    const look = () => {
      for (const name of readdirSync(join(dir, 'state')))
        expect(readFileSync(join(dir, 'state', name)).includes('planted'), name).toBe(false);
    };
    look();
    await sink.close();
    look();
    expect(read((reader) => reader.events())).toHaveLength(kept.length);
  });

  it('forgets old runs but not what they added to the totals', async () => {
    for (let n = 1; n <= 4; n++) await write(events.map((event) => ({ ...event, run: `r${n}`, at: n })) as RunEvent[]);
    const store = openEventStore(file, { keepRuns: 2 });
    store.write({ ...start, run: 'r5', at: 5 });
    await expect.poll(() => read((reader) => reader.listRuns().map((run) => run.id))).toEqual(['r5', 'r4']);
    await store.close();
    expect(new Set(read((reader) => reader.events({ limit: 10_000 })).map((one) => one.event.run))).toEqual(
      new Set(['r4', 'r5']),
    );
    expect(await read((reader) => metricsText(reader))).toContain(
      'kubexm_pipeline_total{pipeline="create_cluster",status="failure"} 4',
    );
  });

  it('keeps the end of long output', async () => {
    const output = events.find((event) => event.type === 'node-output')!;
    await write([{ ...output, stdout: `${'x'.repeat(100_000)}end` }]);
    const stdout = read((reader) => reader.events()).map((one) => (one.event as { stdout: string }).stdout)[0]!;
    expect(stdout).toMatch(/^…x+end$/);
    expect(stdout.length).toBeLessThan(20_000);
  });
});
