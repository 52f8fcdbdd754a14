import { expect, test } from 'vitest';
import { painter, wantsColor } from './color.ts';
import { paintLine, span } from './line.ts';

test('a line keeps its right part and cuts its left one', () => {
  const paint = painter(false);
  expect(paintLine([span('create cluster')], 24, paint, [span('12 s')])).toBe('create cluster      12 s');
  expect(paintLine([span('create cluster'), span(' prod')], 20, paint, [span('12 s')])).toBe('create cluster… 12 s');
  expect(paintLine([span('create cluster')], 8, paint, [span('12 s')])).toBe('create …');
});

test('paint goes around what is left after cutting', () => {
  expect(paintLine([span('ab', 'red'), span('cdef', 'bold')], 4, painter(true))).toBe(
    '\x1b[31mab\x1b[0m\x1b[1mc…\x1b[0m',
  );
});

test.each([
  [true, {}, false, true],
  [false, {}, false, false],
  [true, { NO_COLOR: '1' }, false, false],
  [true, { NO_COLOR: '' }, false, true],
  [false, { FORCE_COLOR: '1' }, false, true],
  [true, { FORCE_COLOR: '0' }, false, false],
  [true, { FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
  [true, { FORCE_COLOR: '1' }, true, false],
  [true, { TERM: 'dumb' }, false, false],
])('terminal %s with %j and --no-color %s: colour %s', (terminal, env, flag, wanted) => {
  expect(wantsColor(terminal, env, flag)).toBe(wanted);
});
