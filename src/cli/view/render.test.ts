import { expect, test } from 'vitest';
import { scriptedRun } from '../../../test/cli/rig/scripted-run.ts';
import type { RunEvent } from '../../index.ts';
import { textWidth } from '../../model/text/width.ts';
import { reduceAll } from './reduce.ts';
import { type RenderOptions, render } from './render.ts';
import { initialState } from './state.ts';

const START = 1_000_000;
const three = ['node1', 'node2', 'node3'];

function stateOf(hosts: readonly string[], until = Number.POSITIVE_INFINITY) {
  const events = scriptedRun(hosts, START)
    .filter(([after]) => after <= until)
    .map(([, event]) => event);
  return reduceAll(initialState('create cluster', START), events);
}

const options: RenderOptions = { width: 100, height: 24, now: START + 14_000, color: false, unicode: true, lang: 'en' };
const frame = (hosts: readonly string[], more: Partial<RenderOptions> = {}) =>
  render(stateOf(hosts), { ...options, ...more });

test('before the first event the hosts are being connected', () => {
  expect(render(initialState('create cluster', START), options)).toMatchSnapshot();
});

test('three hosts', () => {
  expect(frame(three)).toMatchSnapshot();
});

test('in Chinese', () => {
  expect(frame(three, { lang: 'zh' })).toMatchSnapshot();
});

test('thousands of hosts are counted, not listed', () => {
  const hosts = Array.from({ length: 5000 }, (_, i) => `node${i + 1}`);
  expect(frame(hosts)).toMatchSnapshot();
});

test('without Unicode only ASCII signs appear', () => {
  const text = frame(three, { unicode: false }).join('\n');
  expect(text.replace(/[镜像]/g, '')).toMatch(/^[\x20-\x7e\n]*$/);
});

test('interrupted: says what another Ctrl-C does', () => {
  expect(frame(three, { interrupted: 'draining' }).at(-1)).toContain('Ctrl-C again');
  expect(frame(three, { interrupted: 'stopping' }).at(-1)).toContain('Stopping now');
});

test('colour adds nothing but colour', () => {
  const painted = frame(three, { color: true });
  expect(painted.join('\n')).toContain('\x1b[1;31m');
  expect(painted.map((line) => line.replaceAll(/\x1b\[[0-9;]*m/g, ''))).toEqual(frame(three));
});

test.each([1, 2, 3, 5, 8, 12, 24, 60])('fits into %i lines', (height) => {
  for (const width of [1, 10, 20, 40, 80, 200]) {
    for (const hosts of [three, Array.from({ length: 40 }, (_, i) => `很长的主机名-${i}`)]) {
      for (const lang of ['en', 'zh'] as const) {
        const lines = frame(hosts, { height, width, lang, interrupted: 'draining' });
        expect(lines.length).toBeLessThanOrEqual(height);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
      }
    }
  }
});

test('a failure stays visible on a small screen', () => {
  expect(frame(three, { height: 5 }).join('\n')).toContain('✗ node3');
});

test('a hundred failures leave room for the rest', () => {
  const hosts = Array.from({ length: 100 }, (_, i) => `node${i}`);
  const failed = hosts.flatMap((host) => scriptedRun([host], START).map(([, event]) => event));
  const lines = render(reduceAll(stateOf(hosts), failed), options);
  expect(lines.join('\n')).toContain('more failures');
  expect(lines.filter((line) => line.startsWith('✗')).length).toBeLessThanOrEqual(6);
  expect(lines.join('\n')).toContain('etcd/install');
});

test('one bar over all builds, whatever go counts of each; it goes with the last', () => {
  const place = { host: 'local', module: 'artifacts', task: 'artifacts/get', step: 'get', kind: 'artifact' };
  const of = (name: string) => ({ ...place, node: `artifacts/get/${name}@local`, title: name, run: 'r', at: START });
  const builds = { type: 'build-progress', run: 'r', at: START + 10_000, programs: 10 } as const;
  const at = (more: { readonly built: number; readonly share: number; readonly leftSeconds: number }) => {
    const [begun] = scriptedRun(three, START).map(([, event]) => event);
    const steps = ['kubernetes', 'runc'].flatMap((name): RunEvent[] => [
      { ...of(name), type: 'node-started', diff: [] },
      { ...of(name), type: 'node-progress', done: 120, total: 800, unit: 'parts' },
      { ...of(name), type: 'node-line', line: `building ${name}` },
    ]);
    const state = reduceAll(initialState('create cluster', START), [
      ...(begun ? [begun] : []),
      ...steps,
      { ...builds, ...more },
    ]);
    return render(state, options);
  };
  const lines = at({ built: 3, share: 0.425, leftSeconds: 305 });
  expect(lines[2]).toMatch(/^━+─+ {2}42 % · built 3 of 10 programs from source · about 6 min left$/);
  expect(lines.filter((line) => line.includes('━') || line.includes('─'))).toHaveLength(2);
  expect(lines.join('\n')).toContain('runc  · building runc');
  expect(lines.join('\n')).not.toContain('120');
  // Four seconds have passed since it was said.
  expect(at({ built: 3, share: 0.425, leftSeconds: 44 })[2]).toContain('about 40 s left');
  expect(at({ built: 10, share: 1, leftSeconds: 0 }).join('\n')).not.toContain('from source');
});
