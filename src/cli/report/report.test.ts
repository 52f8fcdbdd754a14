import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { EventError, RunEvent, RunReport } from '../../index.ts';
import { type Io, makeIo } from '../io.ts';
import { wouldChanges } from './changes.ts';
import { commandView, endOfCommand } from './command-output.ts';
import { reportRun } from './report.ts';

function ioIn(
  lang: string,
  env: NodeJS.ProcessEnv = {},
  debug = false,
): { io: Io; out: () => string; err: () => string } {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const flags = { lang, noColor: false, noInput: true, yes: false, debug };
  const io = makeIo({ ...streams, env: { LANG: 'C.UTF-8', ...env }, cwd: '/' }, flags);
  return { io, out: () => String(streams.stdout.read() ?? ''), err: () => String(streams.stderr.read() ?? '') };
}

const failure = (host: string, reason: string, detail?: string): { node: string; host: string; error: EventError } => ({
  node: `etcd/install/unit@${host}`,
  host,
  error: { code: 'KX4002', params: { node: `etcd/install/unit@${host}`, reason }, ...(detail ? { detail } : {}) },
});
const lost = (host: string): EventError => ({ code: 'KX4011', params: { host, reason: 'timeout' } });

const report: RunReport = {
  run: '20260131-120000-abcdef',
  pipeline: 'create cluster',
  cluster: 'prod',
  dryRun: false,
  outcome: 'failed',
  counts: { changed: 12, satisfied: 30, failed: 3, reverted: 2, skipped: 0 },
  failures: [
    failure('node1', 'exit code 1', 'one\ntwo\x1b[31m'),
    failure('node2', 'exit code 1'),
    failure('node3', 'exit code 7'),
  ],
  lostHosts: ['node4', 'node6'],
  unreachable: [{ host: 'node5', error: lost('node5') }],
  durationMs: 84_000,
  criticalPathMs: 60_000,
  criticalPath: [],
  resumable: true,
  logFile: '/srv/.kubexm/prod/runs/20260131-120000-abcdef/log.jsonl',
  planHash: 'h',
  changes: 12,
};
const typed = { argv: ['create', 'cluster', '-f', 'my config.yaml'], lost: new Map([['node4', lost('node4')]]) };

test.each(['en', 'zh'])('the end of a run that failed (%s)', async (lang) => {
  expect((await reportRun(report, typed, ioIn(lang).io)).join('\n')).toMatchSnapshot();
});

test('where an unexpected error came from is shown with --debug only', async () => {
  const unexpected = failure('node1', 'the socket hung up');
  const failures = [{ ...unexpected, error: { ...unexpected.error, stack: 'Error: hung up\n    at read (net.ts:1)' } }];
  const shown = async (debug: boolean) =>
    (await reportRun({ ...report, failures }, typed, ioIn('en', {}, debug).io)).join('\n');
  expect(await shown(false)).toContain('the socket hung up');
  expect(await shown(false)).not.toContain('at read');
  expect(await shown(true)).toContain('at read (net.ts:1)');
});

test('hundreds of different failures are not all told', async () => {
  const failures = Array.from({ length: 300 }, (_, i) => failure(`node${i}`, `exit code ${i}`));
  const lines = await reportRun({ ...report, failures }, typed, ioIn('en').io);
  expect(lines.length).toBeLessThan(120);
  expect(lines.join('\n')).toContain('and 280 more failures');
});

test('the end of a run that went well is short', async () => {
  const good: RunReport = {
    ...report,
    outcome: 'succeeded',
    counts: { satisfied: 42 },
    failures: [],
    lostHosts: [],
    unreachable: [],
    resumable: false,
  };
  expect(await reportRun(good, typed, ioIn('en').io)).toEqual([
    '✓ create cluster prod: succeeded after 1 min 24 s',
    '  42 as wanted',
    '',
    `  log   ${report.logFile}`,
  ]);
});

const place = (host: string, step: string) => ({
  at: 0,
  run: 'r',
  node: `etcd/install/${step}@${host}`,
  host,
  module: 'etcd',
  task: 'etcd/install',
  step,
  kind: 'file',
  title: `file ${step}`,
  durationMs: 1,
});

function changesOf(lang: string, env: NodeJS.ProcessEnv = {}): string {
  const changes = wouldChanges();
  const text = '@@ line 1 @@\n same\n-old\n+new';
  for (const host of ['node10', 'node2', 'node1']) {
    changes.sink({
      ...place(host, 'unit'),
      type: 'node-finished',
      outcome: 'would-change',
      diff: [
        { what: '/etc/unit', text },
        { what: 'mode', from: '0644', to: '0600' },
      ],
    });
    changes.sink({ ...place(host, 'dir'), type: 'node-finished', outcome: 'satisfied' });
  }
  changes.sink({
    ...place('node1', 'own'),
    type: 'node-finished',
    outcome: 'would-change',
    diff: [
      { what: 'user', to: 'etcd' },
      { what: 'old', from: 'x' },
    ],
  });
  changes.sink({ ...place('node1', 'wait'), type: 'node-finished', outcome: 'would-run' });
  return changes.lines(ioIn(lang, env).io).join('\n');
}

test('what would change: equal changes once, with all their hosts in order', () => {
  expect(changesOf('en')).toMatchSnapshot();
  expect(changesOf('en')).not.toContain('wait');
});

test('where nothing would change, that is all that is said: actions run every time', () => {
  const changes = wouldChanges();
  changes.sink({ ...place('node1', 'wait'), type: 'node-finished', outcome: 'would-run' });
  changes.sink({ ...place('node1', 'dir'), type: 'node-finished', outcome: 'satisfied' });
  expect(changes.lines(ioIn('en').io)).toEqual(['Nothing would change.']);
  expect(changes.lines(ioIn('zh').io)).toEqual(['不会有任何更改。']);
});

test('what would change: colour only repeats the signs', () => {
  const painted = changesOf('en', { FORCE_COLOR: '1' });
  expect(painted).toContain('\x1b[32m+ user: etcd\x1b[0m');
  expect(painted).toContain('\x1b[31m-old\x1b[0m');
  expect(painted.replaceAll(/\x1b\[[0-9;]*m/g, '')).toBe(changesOf('en'));
});

async function command(format: 'text' | 'json', more: Partial<RunReport> = {}) {
  const { io, out, err } = ioIn('en');
  const { view, results } = commandView(['node1', 'node2', 'n3'], format, io);
  const output = (host: string, code: number, stdout: string): RunEvent => ({
    ...place(host, 'command'),
    type: 'node-output',
    code,
    stdout,
    stderr: '',
  });
  view.sink(output('node1', 0, 'a\n\x1b[2Jb\n'));
  view.sink(output('node2', 2, 'c'));
  view.close();
  const quiet: RunReport = { ...report, failures: [], lostHosts: [], unreachable: [], ...more };
  const code = await endOfCommand(quiet, results, format, io);
  return { code, out: out(), err: err() };
}

test('what hosts print comes behind their names; hosts that did not answer are listed', async () => {
  const { code, out, err } = await command('text', { unreachable: [{ host: 'n3', error: lost('n3') }] });
  expect(code).toBe(1);
  expect(out).toBe('node1 │ a\nnode1 │ b\nnode2 │ c\n');
  expect(err).toContain('✗ n3  KX4011');
  expect(err).toContain('3 hosts, 1 ok, 1 failed (node2=2), 1 not reached');
});

test('as data, a host that did not answer has an error and no code', async () => {
  const { out, err } = await command('json', { unreachable: [{ host: 'n3', error: lost('n3') }] });
  expect(err).toBe('');
  expect(JSON.parse(out)).toMatchObject([
    { host: 'node1', code: 0 },
    { host: 'node2', code: 2 },
    { host: 'n3', code: null, error: { code: 'KX4011' } },
  ]);
});
