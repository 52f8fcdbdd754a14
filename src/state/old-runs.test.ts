import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { crashPoints } from '../engine/crash.ts';
import { Journal } from '../engine/journal.ts';
import { type Machine, output } from '../model/host.ts';
import type { Script } from '../model/script.ts';
import { forgetOldRuns, isOver, successorOf } from './old-runs.ts';
import { findResumable } from './run-store.ts';

let runs: string;
beforeEach(() => {
  runs = mkdtempSync(join(tmpdir(), 'kx-runs-'));
});
afterEach(() => rmSync(runs, { recursive: true, force: true }));

const id = (n: number) => `20250101-00000${n}-abcdef`;

async function made(
  n: number,
  { outcome, pipeline = 'create', params = {} }: { outcome?: string; pipeline?: string; params?: unknown } = {},
): Promise<string> {
  const run = id(n);
  mkdirSync(join(runs, run));
  writeFileSync(join(runs, run, 'params.json'), JSON.stringify(params));
  writeFileSync(join(runs, run, 'selection.json'), '{}');
  const header = {
    version: 1,
    run,
    pipeline,
    cluster: 'c',
    startedAt: '',
    kubexm: '1',
    configHash: 'x',
    planHash: 'y',
  };
  const journal = Journal.create(join(runs, run, 'journal.jsonl'), header as never, crashPoints(undefined));
  if (outcome !== undefined) await journal.durable({ node: 'run', phase: 'ended', outcome } as never);
  await journal.close();
  return run;
}

test('what may still be gone on with is never over, however old', async () => {
  await made(1);
  await made(2, { outcome: 'failed' });
  await made(3, { outcome: 'succeeded', pipeline: 'another' });
  await made(4, { outcome: 'succeeded', params: { nodes: ['other'] } });
  await made(5, { outcome: 'failed' });
  for (const n of [1, 2, 5]) expect(isOver(runs, id(n), 9999), id(n)).toBe(false);
  // It cannot be read: nobody knows.
  mkdirSync(join(runs, id(6)));
  expect(isOver(runs, id(6), 9999)).toBe(false);
  expect(isOver(runs, 'no-run', 9999)).toBe(false);
});

test('what has succeeded, or what a later run has done again, is over, and is not resumed', async () => {
  await made(1, { outcome: 'failed' });
  await made(2);
  expect(findResumable(runs, 'create', id(1)).dir.run).toBe(id(1));
  await made(3, { outcome: 'succeeded' });
  expect([1, 2, 3].map((n) => isOver(runs, id(n), 0))).toEqual([true, true, true]);
  expect([successorOf(runs, id(1)), successorOf(runs, id(3))]).toEqual([id(3), undefined]);
  expect(() => findResumable(runs, 'create', id(1))).toThrow(expect.objectContaining({ code: 'KX4006' }));
});

test('a run that nobody here knows is given a month', () => {
  expect([isOver(runs, id(9), 29), isOver(runs, id(9), 30)]).toEqual([false, true]);
});

test('machines are asked what they have, and told what is over', async () => {
  await made(1, { outcome: 'failed' });
  await made(2, { outcome: 'succeeded' });
  await made(3, { outcome: 'failed', pipeline: 'another' });
  const sent: string[] = [];
  const machine = (said: string): Machine =>
    ({
      run: async ({ script }: Script) => {
        sent.push(script);
        return script === 'kx_undo_runs' ? output(0, said) : output(0);
      },
    }) as unknown as Machine;
  const broken = { run: () => Promise.reject(new Error('lost')) } as unknown as Machine;
  await forgetOldRuns([machine(''), broken, machine(`${id(1)} 0\n${id(3)} 400\n${id(8)} 31\nodd 400\n`)], runs);
  expect(sent).toEqual(['kx_undo_runs', 'kx_undo_runs', `kx_undo_prune ${id(1)} ${id(8)}`]);
});
