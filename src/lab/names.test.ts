import { expect, test } from 'vitest';
import { isLabName, isUserName, LINK_NAME_MAX, linkName, macAddress, machineName } from './names.ts';

test.each([
  ['t', true],
  ['lab-2', true],
  ['a'.repeat(40), true],
  ['a'.repeat(41), false],
  ['', false],
  ['2lab', false],
  ['Lab', false],
  ['lab-', false],
  ['-lab', false],
  ['a.b', false],
  ['../x', false],
  ['a b', false],
])('a lab called %j: %s', (name, valid) => {
  expect(isLabName(name)).toBe(valid);
});

test.each([
  ['admin', true],
  ['_x', true],
  ['a;b', false],
  ['Root', false],
  ['', false],
])('a user called %j: %s', (name, valid) => {
  expect(isUserName(name)).toBe(valid);
});

test.each([
  ['t', '', 'kx-t'],
  ['exactly8', '', 'kx-exactly8'],
])('the link to %s is %s%s', (lab, salt, link) => {
  expect(linkName(lab, salt)).toBe(link);
});

test('no link has too long a name, and long names that begin alike differ', () => {
  const labs = ['t', 'exactly8', 'abc-efgh-1', 'abc-efgh-2', 'x'.repeat(40)];
  const names = labs.map((lab) => linkName(lab));
  expect(names.filter((name) => name.length > LINK_NAME_MAX)).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test('a taken name gives way to a salted one', () => {
  expect(linkName('t', '12ab')).not.toBe(linkName('t'));
  expect(linkName('t', '12ab')).toMatch(/^kx-t[0-9a-f]{4}$/);
});

test('hardware addresses are local ones, and all different', () => {
  const all = (['machine', 'host', 'box'] as const).flatMap((kind) =>
    [0, 1, 254].map((index) => macAddress('a1b2c3', kind, index)),
  );
  expect(all[1]).toBe('02:a1:b2:c3:00:01');
  expect(new Set(all).size).toBe(9);
});

test('machines are named after their lab', () => {
  expect(machineName('t', 3)).toBe('t-3');
});
