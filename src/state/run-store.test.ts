import { expect, test } from 'vitest';
import { newRunId } from './run-store.ts';

test('names of runs sort by time, to the millisecond, and are never the same', () => {
  const at = (text: string) => newRunId(new Date(text));
  const names = [
    at('2026-01-31T23:59:58.999Z'),
    at('2026-01-31T23:59:59.007Z'),
    at('2026-01-31T23:59:59.041Z'),
    at('2026-02-01T00:00:00.000Z'),
  ];
  expect(names.toSorted()).toEqual(names);
  expect(names[1]).toMatch(/^20260131-235959-007[0-9a-f]{6}$/);
  expect(new Set(Array.from({ length: 20 }, () => at('2026-01-31T23:59:59.007Z'))).size).toBe(20);
});
