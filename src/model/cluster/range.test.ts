import { expect, test } from 'vitest';
import { expandRange, RANGE_LIMIT } from './range.ts';

test.each([
  ['node1', ['node1']],
  ['node[5:6]', ['node5', 'node6']],
  ['node[8:10]', ['node8', 'node9', 'node10']],
  ['node[01:03]', ['node01', 'node02', 'node03']],
  ['node[08:11].example', ['node08.example', 'node09.example', 'node10.example', 'node11.example']],
  ['node[7:7]', ['node7']],
  ['r[1:2]n[1:2]', ['r1n1', 'r1n2', 'r2n1', 'r2n2']],
  ['node[0:1]', ['node0', 'node1']],
])('%s', (text, names) => {
  expect(expandRange(text)).toEqual({ names });
});

test.each([
  ['node[6:5]', 'reversed'],
  ['node[1:10001]', 'too many'],
  ['node[1:99999999999999999999]', 'too many'],
  ['r[1:200]n[1:200]', 'too many'],
  ['node[01:2]', 'padding'],
  ['node[1:02]', 'padding'],
  ['node[]', 'malformed'],
  ['node[a:b]', 'malformed'],
  ['node[1:2', 'malformed'],
  ['node1:2]', 'malformed'],
  ['node[1-2]', 'malformed'],
  ['node{1..2}', 'malformed'],
  ['node[[1:2]]', 'malformed'],
])('%s is %s', (text, fault) => {
  expect(expandRange(text)).toEqual({ fault });
});

test('the largest range', () => {
  const range = expandRange(`node[1:${RANGE_LIMIT}]`);
  expect('names' in range && range.names.length).toBe(RANGE_LIMIT);
});
