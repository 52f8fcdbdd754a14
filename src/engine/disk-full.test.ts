import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { causes, eventually, header, host, kv, kvLike, Manual, Rig, task } from '../../test/rig/engine.ts';
import { sh } from '../model/script.ts';
import { on, parallel, sequence } from '../plan/combinators.ts';
import { crashPoints } from './crash.ts';
import { Journal } from './journal.ts';

const none = crashPoints(undefined);
let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-full-'));
  file = join(dir, 'journal');
});

afterEach(() => rmSync(dir, { recursive: true }));

/** From now on every write fails as on a full disk. */
function fillDisk(journal: Journal): void {
  const opened = journal as unknown as { fd: number };
  closeSync(opened.fd);
  opened.fd = openSync('/dev/full', 'w');
}

describe('a disk that is full', () => {
  const a = host('a');
  const one = on(a, kv({ key: 'one', value: '1' }), { name: 'one' });
  const two = on(a, kv({ key: 'two', value: '1' }), { name: 'two' });

  test('all waiting callers get the error, then and later', async () => {
    const journal = Journal.create(file, header, none);
    fillDisk(journal);
    const all = await Promise.allSettled([1, 2].map((i) => journal.durable({ node: `${i}`, phase: 'intent' })));
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(journal.durable({ node: 'c', phase: 'intent' })).rejects.toThrow(/KX|cannot be written: ENOSPC/);
    // Nothing is written behind the hole, even if there is space again.
    const opened = journal as unknown as { fd: number };
    opened.fd = openSync(file, 'a');
    await expect(journal.durable({ node: 'd', phase: 'intent' })).rejects.toThrow(/ENOSPC/);
    await expect(journal.close()).rejects.toThrow(/ENOSPC/);
    expect(readFileSync(file, 'utf8').split('\n').length).toBe(2);
  });

  test('nothing is changed without its intent on disk, and the run fails', async () => {
    const rig = new Rig(['a']);
    const journal = Journal.create(file, header, none);
    fillDisk(journal);
    const result = await rig.run(task('m/t', sequence(one, two)), { journal });
    expect(causes(result)).toEqual(['KX4015 m/t/one@a']);
    expect(result).toMatchObject({ outcome: 'failed', counts: { unknown: 1, skipped: 1 } });
    expect(rig.host('a').state.values).toEqual({});
    const other = new Rig(['a', 'b']);
    const manual = new Manual();
    const step = (name: string) => on(host('b'), manual.use({ name }), { name });
    const running = other.run(parallel(one, sequence(step('held'), step('later'))), { journal });
    await manual.until(['held@b']);
    await eventually(() => other.outcomes()['one@a'] === 'unknown');
    manual.go('held@b');
    await running;
    expect(other.outcomes()).toEqual({ 'one@a': 'unknown', 'held@b': 'ran', 'later@b': 'skipped' });
    await expect(journal.durable({ node: 'run', phase: 'ended', outcome: 'failed' })).rejects.toMatchObject({
      code: 'KX4015',
    });
  });

  test('in the middle: what runs ends, nothing new starts, nothing is rolled back, and it is one cause', async () => {
    const rig = new Rig(['a']);
    const journal = Journal.create(file, header, none);
    const slow = kvLike({ job: true, apply: (_host, want) => sh`hold it; kv set ${want.key} 1` });
    const many = ['x', 'y', 'z'].map((key) => on(a, slow({ key, value: '1' }), { name: key }));
    const next = ['p', 'q', 'r'].map((key) => on(a, kv({ key, value: '1' }), { name: key }));
    const plan = sequence(
      task('m/t', sequence(one, parallel(...many))),
      task('m/u', parallel(...next)),
      task('m/v', two),
    );
    const running = rig.run(plan, { journal });
    await vi.waitFor(() => expect(Object.keys(rig.host('a').state.jobs).length).toBe(3));
    fillDisk(journal);
    rig.host('a').release('it');
    const result = await running;
    expect(result.failures.length).toBe(1);
    expect(result.failures[0]!.error.code).toBe('KX4015');
    expect(result).toMatchObject({ outcome: 'failed', counts: { changed: 4, unknown: 3, skipped: 1 } });
    expect(rig.host('a').state.values).toEqual({ one: '1', x: '1', y: '1', z: '1' });
    expect(rig.of('rollback-started')).toEqual([]);
  });

  test('while a task is being undone: the undoing stops there', async () => {
    const rig = new Rig(['a']);
    const journal = Journal.create(file, header, none);
    const fails = kvLike({
      apply: () => {
        fillDisk(journal);
        return sh`fail 1 no`;
      },
    });
    const result = await rig.run(
      task('m/t', sequence(one, on(a, fails({ key: 'bad', value: '1' }), { name: 'bad' }))),
      { journal },
    );
    expect(causes(result)).toEqual(['KX4002 m/t/bad@a', 'KX4015 m/t/bad@a']);
    expect(rig.host('a').get('one')).toBe('1');
    expect(result.counts).toEqual({ changed: 1, failed: 1 });
  });

  test('a run that changes nothing learns of it at its end', async () => {
    const rig = new Rig(['a'], { values: { one: '1' } });
    const journal = Journal.create(file, header, none);
    fillDisk(journal);
    await rig.run(one, { journal });
    await expect(journal.durable({ node: 'run', phase: 'ended', outcome: 'succeeded' })).rejects.toMatchObject({
      code: 'KX4015',
    });
  });
});
