import { expect, test } from 'vitest';
import { parseLock } from './lock-file.ts';

const entry = { sha256: 'a'.repeat(64), size: 1, source: 'zone' };
const read = (item: object) => parseLock(JSON.stringify({ version: 1, items: { x: item } }), 'artifacts.lock');

test.each([{}, { vouched: 'catalog' }, { vouched: 'nobody' }])('an entry with %j is read', (more) => {
  expect(read({ ...entry, ...more })).toEqual({ x: { ...entry, ...more } });
});

test.each([{ vouched: 'me' }, { vouched: 1 }, { sha256: 'b' }])('one with %j is refused', (more) => {
  expect(() => read({ ...entry, ...more })).toThrow(expect.objectContaining({ code: 'KX7019' }));
});
