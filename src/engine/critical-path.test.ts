import { expect, test } from 'vitest';
import type { ExecutionGraph } from '../plan/graph.ts';
import { criticalPathOf } from './critical-path.ts';

const graph = { id: (i: number) => `step-${i}` } as ExecutionGraph;

test('a long path is shown by its 30 longest steps, in order; its length is that of all', () => {
  // Of 40 steps the first ten are the shortest.
  const path = Array.from({ length: 40 }, (_, i) => ({ i, durationMs: i < 10 ? 1 : 100 + ((i * 7) % 40) }));
  const { criticalPath, criticalPathMs } = criticalPathOf(graph, path);
  expect(criticalPathMs).toBe(path.reduce((sum, { durationMs }) => sum + durationMs, 0));
  expect(criticalPath).toEqual(path.slice(10).map(({ i, durationMs }) => ({ node: `step-${i}`, durationMs })));
});

test('steps that took no time are not told', () => {
  const path = [0, 5, 0, 3].map((durationMs, i) => ({ i, durationMs }));
  expect(criticalPathOf(graph, path)).toEqual({
    criticalPathMs: 8,
    criticalPath: [
      { node: 'step-1', durationMs: 5 },
      { node: 'step-3', durationMs: 3 },
    ],
  });
});
