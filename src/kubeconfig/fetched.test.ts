import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { RunEvent } from '../model/event.ts';
import { hearFetched } from './fetched.ts';

test.each([
  ['made', 'kubeconfig-fetched', 'changed', true],
  ['fetched', 'kubeconfig-fetched', 'ran', true],
  ['found to be right', 'kubeconfig-fetched', 'satisfied', true],
  ['not made', 'kubeconfig-fetched', 'failed', false],
  ['left out', 'kubeconfig-fetched', 'superseded', false],
  ['another step', undefined, 'changed', false],
])('the kubeconfig of a run: %s', (_, mark, outcome, done) => {
  const fetched = hearFetched();
  expect(fetched.done()).toBe(false);
  const event = { type: 'node-finished', node: 'a/b/c@cp1', mark, host: 'cp1', outcome, durationMs: 1 };
  fetched.sink(event as unknown as RunEvent);
  expect(fetched.done()).toBe(done);
});

test('there is such a step', () => {
  const plan = readFileSync(new URL('../../test/plans/create-3-2/plan.json', import.meta.url), 'utf8');
  expect(plan).toContain('"mark": "kubeconfig-fetched"');
});
