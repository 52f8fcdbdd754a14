import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { sinceTime } from './commands/get-events.ts';
import { commands } from './commands/index.ts';
import { timeoutOf } from './commands/run-command.ts';
import { catchInterrupts, type SignalSource } from './interrupts.ts';
import { earlyFlags } from './io.ts';
import { painter } from './output/color.ts';
import { bytesText, durationText, elapsedText } from './output/duration.ts';
import { fieldLines, tableLines } from './output/table.ts';
import { clusterWords, resumeCommand, shellWord } from './resume-command.ts';
import { speaker } from './texts/index.ts';

const say = speaker('en');

test('Ctrl-C once drains, twice stops, three times kills', () => {
  const source = new EventEmitter() as EventEmitter & SignalSource;
  const told: string[] = [];
  const interrupts = catchInterrupts(
    source,
    (how) => told.push(how),
    () => told.push('killed'),
  );
  expect(interrupts.drain.aborted).toBe(false);
  source.emit('SIGINT');
  expect([interrupts.drain.aborted, interrupts.stop.aborted]).toEqual([true, false]);
  source.emit('SIGTERM');
  expect(interrupts.stop.aborted).toBe(true);
  source.emit('SIGINT');
  expect(told).toEqual(['draining', 'stopping', 'killed']);
  interrupts.release();
  expect(source.listenerCount('SIGINT')).toBe(0);
});

test.each([
  [['create', 'cluster', '-f', 'c.yaml'], 'kubexm create cluster -f c.yaml --resume R1'],
  [['create', 'cluster', '--resume', '-f', 'c.yaml'], 'kubexm create cluster -f c.yaml --resume R1'],
  [['create', 'cluster', '--resume', 'R0', '-y'], 'kubexm create cluster -y --resume R1'],
  [['create', 'cluster', '--resume=R0'], 'kubexm create cluster --resume R1'],
  [
    ['run', 'x', '-f', 'my file.yaml', '--', 'ls', '--resume'],
    "kubexm run x -f 'my file.yaml' --resume R1 -- ls --resume",
  ],
])('%j resumes as %s', (argv, command) => {
  expect(resumeCommand(argv, 'R1')).toBe(command);
});

test('words for a shell', () => {
  expect(['a-b', 'a b', "it's", '$HOME', 'node*', ''].map(shellWord)).toEqual([
    'a-b',
    "'a b'",
    String.raw`'it'\''s'`,
    "'$HOME'",
    "'node*'",
    "''",
  ]);
});

test.each([
  ['30s', 970_000],
  ['2m', 880_000],
  ['1970-01-01T00:10:00Z', 600_000],
])('--since %s', (text, at) => {
  expect(sinceTime(text, 1_000_000)).toBe(at);
});

test.each(['yesterday', '12', '1w', ''])('--since %s is refused', (text) => {
  expect(() => sinceTime(text, 0)).toThrow('KX1006');
});

test.each([
  ['30', 30],
  ['90s', 90],
  ['5m', 300],
  ['1h', 3600],
])('--timeout %s', (text, seconds) => {
  expect(timeoutOf(text)).toBe(seconds);
});

test.each(['0', '-1', '5 m', 'soon', '1d', ''])('--timeout %s is refused', (text) => {
  expect(() => timeoutOf(text)).toThrow('KX1006');
});

test('durations and amounts', () => {
  expect([45, 3210, 9_960, 65_000, 7_380_000].map((ms) => durationText(ms, say))).toEqual([
    '45 ms',
    '3.2 s',
    '10 s',
    '1 min 5 s',
    '2 h 3 min',
  ]);
  expect([0, 1999, 60_999].map((ms) => elapsedText(ms, say))).toEqual(['0 s', '1 s', '1 min']);
  expect([0, 999, 1000, 23_400_000, 999_999, 1.2e12].map(bytesText)).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '23 MB',
    '1.0 MB',
    '1.2 TB',
  ]);
});

test('a table is as wide as its cells, Chinese or not', () => {
  const columns = [
    { title: 'NAME', cell: (row: readonly [string, number]) => row[0] },
    { title: 'N', cell: (row: readonly [string, number]) => String(row[1]), align: 'right' as const },
    { title: 'LAST', cell: () => '' },
  ];
  expect(
    tableLines(
      columns,
      [
        ['节点', 5],
        ['node10', 10],
      ],
      painter(false),
    ),
  ).toEqual(['NAME      N   LAST', '节点      5   –', 'node10   10   –']);
  expect(
    fieldLines(
      [
        ['run', 'r1'],
        ['状态', '失败'],
      ],
      painter(false),
    ),
  ).toEqual(['run    r1', '状态   失败']);
});

test('flags that decide how to speak are read first, up to two dashes', () => {
  expect(earlyFlags(['get', 'runs', '--lang=zh', '-v'], {})).toMatchObject({ lang: 'zh', debug: true, noColor: false });
  expect(earlyFlags(['--lang', 'en', '--no-color', '-y'], {})).toMatchObject({ lang: 'en', noColor: true, yes: true });
  expect(earlyFlags(['run', 'command', '--', 'ls', '--no-color', '--lang', 'zh'], {})).not.toHaveProperty('lang');
  expect(earlyFlags([], { KUBEXM_DEBUG: '1' }).debug).toBe(true);
});

/** They look into a work directory, or do what a plan says that has its own. */
const BY_PLACE = ['get runs', 'describe run', 'get events', 'get metrics', 'apply'];

test('every command that acts on the cluster of a file takes the fields that hold instead', () => {
  const having = (flag: string) =>
    commands.flatMap(({ path, options = [] }) => (options.some(({ flags }) => flags.startsWith(flag)) ? [path] : []));
  expect(having('-e,').sort()).toEqual(
    having('-f, --file')
      .filter((path) => !BY_PLACE.includes(path))
      .sort(),
  );
});

test('the next command is about the same cluster', () => {
  const at = { configFile: '/a b/c.yaml', baseDir: '/' };
  expect(clusterWords(at)).toBe("-f '/a b/c.yaml'");
  expect(clusterWords({ ...at, overrides: ['kubernetes.maxPods=50', 'hosts[n1].labels.zone=a'] })).toBe(
    "-f '/a b/c.yaml' -e kubernetes.maxPods=50 -e 'hosts[n1].labels.zone=a'",
  );
  expect(clusterWords({ ...at, lab: 't', overrides: ['x=1'] })).toBe('--lab t -e x=1');
});
