import { describe, expect, test } from 'vitest';
import type { Difference, LabProgress } from '../../index.ts';
import { speaker } from '../texts/index.ts';
import { delayOf, memoryOf, memoryText } from './amounts.ts';
import { differenceText, foldTrees } from './diff-rows.ts';
import { eventLine, type LabPicture, pictureText, withEvent } from './progress.ts';

const say = speaker('en');

test.each([
  ['2Gi', 2 ** 31],
  ['512Mi', 2 ** 29],
  ['1.5G', 1.5e9],
  ['1048576', 1_048_576],
  ['64k', 64_000],
])('--memory %s is %i bytes', (text, bytes) => {
  expect(memoryOf(text)).toBe(bytes);
});

test.each(['', '0', '2 Gi', '2gi', '-1Gi', '2Gib', 'much', '1e9'])('--memory %j is refused', (text) => {
  expect(() => memoryOf(text)).toThrow(expect.objectContaining({ code: 'KX1006' }));
});

test.each([
  [2 ** 31, '2Gi'],
  [1.5 * 2 ** 30, '1.5Gi'],
  [2 ** 29, '512Mi'],
])('%i bytes are shown as %s', (bytes, text) => {
  expect(memoryText(bytes)).toBe(text);
});

test.each([
  ['40ms', 40],
  ['1s', 1000],
  ['0.5s', 500],
  ['0', 0],
  ['0ms', 0],
])('a delay of %s is %i ms', (text, ms) => {
  expect(delayOf(text)).toBe(ms);
});

test.each(['', '40', '40 ms', '-1ms', '61s', '1h'])('a delay of %j is refused', (text) => {
  expect(() => delayOf(text)).toThrow(expect.objectContaining({ code: 'KX1006' }));
});

describe('progress', () => {
  const machine = (name: string, state: 'booting' | 'ready', ms = 1800): LabProgress => ({
    type: 'machine',
    machine: name,
    state,
    ms,
  });
  const after = (...events: LabProgress[]) =>
    events.reduce<LabPicture>((picture, event) => withEvent(picture, event, say), { machines: new Map() });

  test('one line tells where all machines are', () => {
    const picture = after(machine('t-1', 'booting'), machine('t-2', 'booting'), machine('t-1', 'ready'));
    expect(pictureText(picture, say)).toBe('ready 1, booting 1');
  });

  test('what goes on before there are machines, with what the tool says', () => {
    const building = { type: 'base', state: 'building', image: 'debian-12' } as const;
    expect(pictureText(after(building), say)).toBe('making the image debian-12: once, a minute or two');
    expect(pictureText(after({ ...building, line: '\x1b[2Junpacking' }), say)).toBe(
      'making the image debian-12: once, a minute or two · unpacking',
    );
    expect(pictureText(after(building, machine('t-1', 'booting')), say)).toBe('booting 1');
  });

  test.each<[LabProgress, string | undefined]>([
    [machine('t-1', 'ready'), 't-1: ready after 1.8 s'],
    [{ type: 'waiting', for: 'base' }, 'waiting for somebody else who makes the image'],
    [{ type: 'installing', packages: ['mmdebstrap', 'attr'] }, 'installing mmdebstrap, attr'],
    [{ type: 'network', subnet: '10.88.0.0/24', link: 'kxt' }, 'network 10.88.0.0/24 on kxt'],
    [{ type: 'base', state: 'ready', image: 'debian-13' }, 'the image debian-13 is there'],
    [{ type: 'base', state: 'building', image: 'debian-13', line: 'Get:1' }, undefined],
  ])('%j: %s', (event, line) => {
    expect(eventLine(event, say, false)).toBe(line);
  });

  test('the output of the tool is shown with full verbosity', () => {
    expect(eventLine({ type: 'base', state: 'building', image: 'debian-13', line: 'Get:1' }, say, true)).toBe('Get:1');
  });
});

describe('differences', () => {
  const file = (change: Difference['change'], key: string, type = 'file'): Difference =>
    change === 'removed'
      ? { section: 'file', key, change, before: { type } }
      : { section: 'file', key, change, after: { type }, ...(change === 'changed' ? { before: { type: 'x' } } : {}) };

  test('a directory that came or went as a whole is one line', () => {
    const rows = foldTrees([
      file('changed', '/etc', 'directory'),
      file('added', '/etc/a', 'directory'),
      file('added', '/etc/a/b', 'directory'),
      file('added', '/etc/a/b/c'),
      file('added', '/etc/ab'),
      file('removed', '/etc/a/x'),
      file('removed', '/opt', 'directory'),
      file('removed', '/opt/y'),
    ]);
    expect(rows.map(({ difference, below }) => `${difference.change} ${difference.key} ${below}`)).toEqual([
      'changed /etc 0',
      'added /etc/a 2',
      'added /etc/ab 0',
      'removed /etc/a/x 0',
      'removed /opt 1',
    ]);
  });

  test.each<[Difference, string]>([
    [
      {
        section: 'file',
        key: '/a',
        change: 'changed',
        before: { mode: '0644' },
        after: { mode: '0600', 'xattr user.a': '0x00' },
      },
      'mode 0644 → 0600, xattr user.a – → 0x00',
    ],
    [{ section: 'swap', key: '/swap', change: 'added', after: { type: 'file', size: '9' } }, 'type file, size 9'],
    [{ section: 'port', key: 'tcp *:1', change: 'removed', before: {} }, ''],
    [
      { section: 'nftables', key: 'ip x', change: 'changed', before: { 'chain c': 'a\nb' }, after: {} },
      'chain c a ⏎ b → –',
    ],
  ])('%j', (difference, text) => {
    expect(differenceText({ difference, below: 0 }, say, false)).toBe(text);
  });

  test('long values are cut, unless all is wanted', () => {
    const difference: Difference = { section: 'ipset', key: 's', change: 'added', after: { members: 'x'.repeat(500) } };
    expect(differenceText({ difference, below: 3 }, say, false)).toMatch(/^members x{59}…, and 3 below it$/);
    expect(differenceText({ difference, below: 0 }, say, true)).toHaveLength(508);
  });
});
