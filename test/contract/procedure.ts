import { expect } from 'vitest';
import { beforeImage } from '../../src/engine/before-image.ts';
import { hostKey } from '../../src/engine/keys.ts';
import type { Host, Machine } from '../../src/model/host.ts';
import { lines, type Script, sh } from '../../src/model/script.ts';
import { fieldOf } from '../../src/plan/step.ts';
import { check, io } from './bench.ts';
import type { StateCase } from './case.ts';
import { snapshot } from './tree.ts';

/** Where a case happens: what is compared, where sources are, a server to download from. */
export interface Place {
  readonly tree: string;
  readonly work: string;
  readonly url: string;
}

async function perform(host: Host, work: Script | Promise<unknown>, good: readonly number[] = [0]): Promise<void> {
  if (!('script' in work)) {
    await work;
    return;
  }
  const output = await host.run(work);
  if (!good.includes(output.code)) throw new Error(`exit code ${output.code}: ${output.stderr}`);
}

/** What every state step promises: a probe changes nothing, apply then satisfied, again is harmless, revert then as before. */
export async function meetsContract(one: StateCase, host: Host, { tree, work, url }: Place): Promise<void> {
  const { step } = one;
  one.before?.(tree, work);
  const want = one.want(tree, work, url);
  const before = snapshot(tree);

  const first = await check(host, step, want);
  expect(first.verdict).toBe('needed');
  expect('diff' in first && first.diff.length).toBeGreaterThan(0);
  expect(snapshot(tree), 'a probe changes nothing').toEqual(before);

  // As the engine does it: before-image and change in one script, or a host that keeps the image when it is first used.
  const image = beforeImage('run', { ref: { node: 'node' }, step, want, nature: 'state' }, () => undefined);
  const started = step.apply(image ? image.guard(host as Machine) : host, want, io);
  await perform(host, image && 'script' in started ? lines(image.script, started) : started, step.successCodes?.(want));
  const applied = snapshot(tree);
  expect(await check(host, step, want)).toMatchObject({ verdict: 'satisfied' });
  one.after?.(tree);
  expect(snapshot(tree), 'nothing is left lying about').toEqual(applied);

  await perform(host, step.apply(host, want, io), step.successCodes?.(want));
  expect(snapshot(tree), 'applying again is harmless').toEqual(applied);
  expect((await check(host, step, want)).verdict).toBe('satisfied');

  expect(fieldOf(step.irreversible, want, undefined)).toBeUndefined();
  const seen: unknown = JSON.parse(JSON.stringify('seen' in first ? first.seen : null));
  const undo = step.revert ? step.revert(host, want, seen) : sh`kx_restore ${hostKey('run', 'node')}`;
  await perform(host, undo);
  expect(snapshot(tree), 'reverting restores').toEqual(before);
  expect(await check(host, step, want), 'and the difference is the same again').toEqual(first);
  await host.run(sh`kx_undo_drop run`);
}
