import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { scriptedEnd, scriptedRun } from '../../../test/cli/rig/scripted-run.ts';
import { jsonView } from './json.ts';
import { liveView } from './live.ts';
import { plainView } from './plain.ts';

const hosts = ['node1', 'node2', 'node3'];
let written = '';
const write = (text: string) => {
  written += text;
};

beforeEach(() => {
  written = '';
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const play = (sink: (event: ReturnType<typeof scriptedEnd>) => void) => {
  for (const [, event] of scriptedRun(hosts, 1_000_000)) sink(event as never);
};

test('plain: a line for each change of state, none for the end, which has its report', () => {
  const view = plainView({ write, pipeline: 'create cluster', lang: 'en', verbose: false });
  play(view.sink);
  view.sink(scriptedEnd(hosts, 1_002_000));
  view.close();
  expect(written).toContain('create cluster prod: 15 steps on 3 hosts');
  expect(written).toContain('etcd/install/unit@node3: failed');
  expect(written).not.toContain('after 1 min 24 s');
  expect(written).not.toContain('\x1b');
});

test('plain: after a silence it says that it is alive', () => {
  const view = plainView({ write, pipeline: 'create cluster', lang: 'en', verbose: false });
  play(view.sink);
  written = '';
  vi.advanceTimersByTime(14_000);
  expect(written).toBe('');
  vi.advanceTimersByTime(2000);
  expect(written).toMatch(/^… 8 of 15 steps, 1[56] s; running: etcd\/install\/binary@node1/);
  vi.advanceTimersByTime(30_000);
  expect(written.trim().split('\n')).toHaveLength(3);
  view.close();
  vi.advanceTimersByTime(60_000);
  expect(written.trim().split('\n')).toHaveLength(3);
});

test('plain: an interruption is reported', () => {
  const view = plainView({ write, pipeline: 'create cluster', lang: 'zh', verbose: false });
  view.interrupted('draining');
  expect(written).toContain('再按一次 Ctrl-C');
  view.close();
});

test('json: one event per line', () => {
  const view = jsonView(write, () => undefined);
  play(view.sink);
  const events = scriptedRun(hosts, 1_000_000).map(([, event]) => event);
  const lines = written.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(events)));
});

test('live: at most ten frames a second, messages stay, nothing is left at the end', () => {
  let frames = 0;
  const screen = {
    write: (text: string) => {
      frames++;
      write(text);
    },
    columns: 100,
    rows: 30,
  };
  const view = liveView({ screen, pipeline: 'create cluster', color: false, unicode: true, lang: 'en' });
  for (let i = 0; i < 100; i++) {
    play(view.sink);
    vi.advanceTimersByTime(10);
  }
  expect(frames).toBeLessThanOrEqual(25);
  expect(written).toContain('certificates are in .kubexm/prod/certs');
  view.close();
  expect(written.endsWith('\x1b[?25h')).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
  expect(process.listeners('exit').some((one) => String(one).includes('region.close'))).toBe(false);
});

test('live: a question gets the terminal for itself', async () => {
  const screen = { write, columns: 100, rows: 30 };
  const view = liveView({ screen, pipeline: 'create cluster', color: false, unicode: true, lang: 'en' });
  play(view.sink);
  vi.advanceTimersByTime(100);
  const answer = view.aside(async () => {
    written = '';
    vi.advanceTimersByTime(5000);
    expect(written).toBe('');
    return 'yes';
  });
  expect(await answer).toBe('yes');
  vi.advanceTimersByTime(100);
  expect(written).toContain('create cluster');
  view.close();
});

test('stacks of unexpected errors: with --debug only, in both', () => {
  const error = {
    code: 'KX4002' as const,
    params: { node: 'n@a', reason: 'hung up' },
    stack: 'Error: hung up\n    at read (net.ts:1)',
  };
  const ref = { node: 'n@a', host: 'a', module: '', task: '', step: 'n', kind: 'file', title: 'n' };
  const event = { type: 'node-finished', at: 1, run: 'r', ...ref, outcome: 'failed', durationMs: 1, error } as const;
  for (const debug of [false, true]) {
    written = '';
    jsonView(write, () => undefined, { debug }).sink(event);
    const plain = plainView({ write, pipeline: 'x', lang: 'en', verbose: debug });
    plain.sink(event);
    plain.close();
    expect(written).toContain('hung up');
    expect(written.split('at read').length - 1).toBe(debug ? 2 : 0);
  }
});
