import { expect, test } from 'vitest';
import { checkTaskName, runTask, taskNames } from './run-task.ts';

test('every task of create cluster can run alone, and is named once', () => {
  expect(taskNames).toEqual(
    expect.arrayContaining(['node/names', 'runtime/containerd', 'artifacts/get', 'cluster/health']),
  );
  expect(new Set(taskNames).size).toBe(taskNames.length);
});

test.each([
  ['runtime/containerdd', 'runtime/containerd'],
  ['containerd', 'runtime/containerd'],
  ['Node/Names', 'node/names'],
  ['flanel', 'network/flannel'],
])('%s: did you mean %s', (task, meant) => {
  expect(() => checkTaskName(task)).toThrow(
    expect.objectContaining({
      code: 'KX4030',
      params: { task, tasks: expect.stringMatching(new RegExp(`^${meant}, `)) },
    }),
  );
});

test('only the task takes part, on all of its hosts or on some', () => {
  expect(runTask.selects?.({ task: 'node/names' })).toEqual({ tasks: ['node/names'] });
  expect(runTask.selects?.({ task: 'node/names', nodes: ['a'] })).toEqual({ tasks: ['node/names'], hosts: ['a'] });
});
