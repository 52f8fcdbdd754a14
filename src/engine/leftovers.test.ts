import { describe, expect, test, vi } from 'vitest';
import { eventually, host, type Kv, kv, kvDefinition, kvLike, local, Rig, task } from '../../test/rig/engine.ts';
import { sh } from '../model/script.ts';
import { MASK } from '../model/text/mask.ts';
import { on, parallel, sequence } from '../plan/combinators.ts';
import type { ExecutionFragment } from '../plan/node.ts';
import { defineStep } from '../plan/step.ts';

const a = host('a');
const alive = { stop: new AbortController().signal };

/** Runs until something is held on the host, then dies. */
async function dieWhileHeld(rig: Rig, plan: ExecutionFragment, name: string): Promise<void> {
  const { stop } = rig;
  const dying = rig.run(plan);
  await vi.waitFor(() => expect(rig.host('a').isHeld(name)).toBe(true));
  const records = rig.journal.records.slice();
  stop.abort();
  await dying;
  rig.journal.records.splice(0, Number.POSITIVE_INFINITY, ...records);
}

const waits = defineStep<Kv>()({
  kind: 'waits',
  description: 'an action that holds',
  title: (want) => want.key,
  nature: 'action',
  apply: (_host, want) => sh`hold ${want.key}`,
  example: { key: 'a', value: '1' },
});

test('a task is undone only when the job that an earlier process left running is over', async () => {
  const { saves: _, ...plain } = kvDefinition;
  const slow = defineStep<Kv>()({
    ...plain,
    once: true,
    apply: (_host, want) => sh`hold ${want.key}; kv set ${want.key} ${want.value}`,
    revert: (_host, want) => sh`kv del ${want.key}`,
  });
  const fails = kvLike({ apply: () => sh`fail 1 broken` });
  const x = on(a, slow({ key: 'x', value: '1' }), { name: 'x' });
  const gate = (name: string) => on(local, waits({ key: name, value: '1' }), { name: 'gate' });
  const y = (step: typeof kv) => on(a, step({ key: 'y', value: '1' }), { name: 'y' });
  const plan = (name: string, step: typeof kv) => task('m/t', parallel(sequence(gate(name), x), y(step)));
  const rig = new Rig(['a']);
  rig.host('local').release('open');
  await dieWhileHeld(rig, plan('open', kv), 'x');
  // The second process meets the failure first: it has not come to x yet.
  rig.host('a').set('y', undefined);
  const running = rig.run(plan('shut', fails), { replay: rig.died(), ...alive });
  await eventually(() => rig.of('node-finished').some((event) => event.outcome === 'failed'));
  rig.host('local').release('shut');
  await eventually(() => rig.of('rollback-started').length === 1);
  expect(rig.journal.phases('m/t/x@a')).not.toContain('reverted');
  rig.host('a').release('x');
  expect((await running).outcome).toBe('failed');
  expect(rig.host('a').get('x')).toBeUndefined();
  expect(rig.host('a').state.jobs).toEqual({});
});

describe('a long action', () => {
  const long = defineStep<Kv>()({
    kind: 'long',
    description: 'an action that runs as a job',
    title: (want) => want.key,
    nature: 'action',
    job: true,
    apply: (_host, want) => sh`kv add tries 1; hold ${want.key}; kv add failing 1; fail 3 broken`,
    example: { key: 'a', value: '1' },
  });

  test('that failed while nobody watched is tried again, not told from memory', async () => {
    const rig = new Rig(['a']);
    const plan = on(a, long({ key: 'x', value: '1' }), { name: 'x' });
    await dieWhileHeld(rig, plan, 'x');
    rig.host('a').release('x');
    await eventually(() => rig.host('a').get('failing') === '1');
    const result = await rig.run(plan, { replay: rig.died(), ...alive });
    expect(result.outcome).toBe('failed');
    expect(rig.host('a').get('tries')).toBe('2');
    expect(rig.host('a').state.jobs).toEqual({});
  });

  test('that took too long leaves no result for the next try', async () => {
    const rig = new Rig(['a']);
    const impatient = defineStep<Kv>()({ ...long.definition, timeoutSeconds: 0.05 });
    const plan = (step: typeof long) => on(a, step({ key: 'x', value: '1' }), { name: 'x' });
    expect((await rig.run(plan(impatient))).outcome).toBe('failed');
    const quick = defineStep<Kv>()({ ...long.definition, apply: () => sh`kv set good 1` });
    expect((await rig.run(plan(quick), { replay: rig.died(), ...alive })).outcome).toBe('succeeded');
    expect(rig.host('a').get('good')).toBe('1');
  });
});

describe('secrets', () => {
  const mint = (job: boolean) =>
    defineStep<{ readonly text: string }>()({
      kind: 'mint',
      description: 'a secret',
      title: () => 'a secret',
      nature: 'mint',
      job,
      apply: (_host, want) => sh`echo ${want.text}`,
      result: (seen) => seen.stdout.trim(),
      example: { text: 'x' },
    });
  const withSecret = kvLike({
    apply: (_host, want) => sh`kv set ${want.key} ${want.value}; fail 1 broken`,
    revert: (_host, want) => sh`kv set undone ${want.value}`,
  });

  test('a mint that runs as a job shows nobody its lines', async () => {
    const rig = new Rig(['a']);
    const token = on(a, mint(true)({ text: 'tok3n' }), { name: 'token' });
    await rig.run(sequence(token, on(a, kv({ key: 'x', value: token.ref() }), { name: 'x' })));
    expect(rig.of('node-line')).toEqual([]);
  });

  test('what is undone with a secret gets the secret, and nothing is done with its mask', async () => {
    const rig = new Rig(['a']);
    const token = on(a, mint(false)({ text: 'tok3n' }), { name: 'token' });
    const plan = sequence(token, task('m/t', on(a, withSecret({ key: 'x', value: token.ref() }), { name: 'x' })));
    expect((await rig.run(plan)).outcome).toBe('failed');
    expect(rig.host('a').get('undone')).toBe('tok3n');
    expect(JSON.stringify(rig.events)).not.toContain(`undone ${MASK}`);
  });
});
