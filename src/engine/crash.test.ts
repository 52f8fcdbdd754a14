import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { initial, runCrashPipeline } from '../../test/rig/crash-pipeline.ts';
import { seeded } from '../../test/rig/engine.ts';
import type { MemoryState } from '../../test/rig/memory/memory.ts';
import { program } from '../../test/rig/programs.ts';
import { some, thorough } from '../../test/rig/thorough.ts';
import type { NodeRecord } from './record.ts';
import { readJournal } from './replay.ts';

const AT_ONCE = 3;
let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'kubexm-crash-'));
});

afterAll(() => rmSync(root, { recursive: true }));

const fresh = () => mkdtempSync(join(root, 'run-'));
const records = (dir: string) =>
  readFileSync(join(dir, 'journal'), 'utf8')
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line) as NodeRecord);
/** A host as it lies in its file: to open it would be to let its jobs go on. One that was never touched has none. */
function stateOf(dir: string, name: string): MemoryState {
  const file = join(dir, `${name}.json`);
  if (!existsSync(file)) return { values: { ...initial }, saved: {}, jobs: {}, lock: undefined };
  return JSON.parse(readFileSync(file, 'utf8')) as MemoryState;
}

const valuesOf = (dir: string) =>
  Object.fromEntries(['local', 'a', 'b'].map((name) => [name, stateOf(dir, name).values]));

function repair(dir: string): void {
  const state = stateOf(dir, 'b');
  state.values['repaired'] = 'yes';
  writeFileSync(join(dir, 'b.json'), JSON.stringify(state));
}

function start(
  dir: string,
  scenario: string,
  crashAt = '',
): { readonly child: ChildProcess; readonly ended: Promise<NodeJS.Signals | number | null> } {
  const child = spawn(process.execPath, ['--no-warnings', program('crash-pipeline'), dir, scenario], {
    // Hundreds of them start: what the first has compiled the others need not.
    env: { ...process.env, KUBEXM_CRASH_AT: crashAt, NODE_COMPILE_CACHE: join(root, 'compiled') },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<NodeJS.Signals | number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(signal ?? code));
  });
  return { child, ended };
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Goes on after a crash, and looks at what came of it. */
async function resume(dir: string, failing: boolean, expected: unknown, what: string): Promise<void> {
  if (failing) repair(dir);
  const { result, states } = await runCrashPipeline(dir, { failing });
  expect(result.outcome, what).toBe('succeeded');
  const values = Object.fromEntries(Object.entries(states).map(([name, state]) => [name, state.values]));
  expect(values, what).toEqual(expected);
  for (const [name, state] of Object.entries(states)) {
    expect({ jobs: state.jobs, saved: state.saved, lock: state.lock }, `${what}, left on ${name}`).toEqual({
      jobs: {},
      saved: {},
      lock: undefined,
    });
  }
  const again = await runCrashPipeline(dir, { failing });
  expect(again.result.counts.changed, `${what}, run again`).toBeUndefined();
  expect(readJournal(join(dir, 'journal')).replay.ended).toBe('succeeded');
}

describe.each([
  ['a run that succeeds', false],
  ['a run whose task fails and is undone', true],
])('%s', (_name, failing) => {
  const scenario = failing ? 'failing' : 'good';
  const final = (dir: string) => {
    const values = valuesOf(dir);
    expect(values['a']).toMatchObject({ etc: 'new', conf: 'new', 'init.first': '1', 'init.second': '1' });
    for (const one of Object.values(values)) for (const key of Object.keys(one)) expect(key).not.toContain('twice');
    return values;
  };
  let expected: unknown;
  let transitions: readonly string[];

  beforeAll(async () => {
    const clean = fresh();
    expect(await start(clean, scenario).ended).toBe(failing ? 1 : 0);
    transitions = [...new Set(records(clean).map(({ node, phase }) => `${node}:${phase}`))];
    if (!failing) {
      expected = final(clean);
      return;
    }
    // The result on a host that needed no repair is the result that all others must have.
    expect(valuesOf(clean)['b']).toEqual({ ...initial, etc: 'new', bin: 'v2', unmounted: 'yes' });
    repair(clean);
    const { result, states } = await runCrashPipeline(clean, { failing });
    expect(result.outcome).toBe('succeeded');
    expected = Object.fromEntries(Object.entries(states).map(([name, { values }]) => [name, values]));
  });

  test('a crash at every transition, before and after it is noted, ends the same', async () => {
    expect(transitions.length).toBeGreaterThan(40);
    const phases = new Set(transitions.map((one) => one.split(':').at(-1)));
    for (const phase of failing
      ? ['intent', 'applied', 'done', 'reverting', 'reverted', 'failed', 'skipped']
      : ['intent', 'applied', 'done', 'ran', 'ended', 'finalizers']) {
      expect(phases).toContain(phase);
    }
    const points = transitions.flatMap((one) => [one, one.replace(/:([^:]+)$/, ':before-$1')]);
    await each(some(points, 3), async (point) => {
      const dir = fresh();
      expect(await start(dir, scenario, point).ended, point).toBe('SIGKILL');
      const noted = records(dir).some(({ node, phase }) => point === `${node}:${phase}`);
      expect(noted, point).toBe(!point.includes(':before-'));
      await resume(dir, failing, expected, point);
      rmSync(dir, { recursive: true });
    });
  }, 600_000);

  test('a resume that crashes too ends the same', async () => {
    // A crash of the first process in the middle, then one of the second at each of its own transitions.
    const middle = transitions.find((one) => one.endsWith('boot/join/image@b:applied'))!;
    const seen = fresh();
    expect(await start(seen, scenario, middle).ended).toBe('SIGKILL');
    const before = records(seen).length;
    await start(seen, scenario).ended;
    const later = [
      ...new Set(
        records(seen)
          .slice(before)
          .map(({ node, phase }) => `${node}:${phase}`),
      ),
    ];
    const others = later.filter((one) => one !== middle);
    await each(some(others, 1), async (point) => {
      const dir = fresh();
      expect(await start(dir, scenario, middle).ended, middle).toBe('SIGKILL');
      // A node of the plan that both processes settle may be noted by the first already: then it dies there again.
      expect(['SIGKILL', 0, 1], point).toContain(await start(dir, scenario, point).ended);
      await resume(dir, failing, expected, `${middle} then ${point}`);
      rmSync(dir, { recursive: true });
    });
  }, 600_000);

  test('killed at any moment, several times, it ends the same', async () => {
    const random = seeded(failing ? 2 : 1);
    const clean = fresh();
    const began = performance.now();
    await start(clean, scenario).ended;
    const whole = performance.now() - began;
    const moments = Array.from({ length: thorough ? 25 : 2 }, () =>
      Array.from({ length: 1 + Math.floor(random() * 3) }, () => random()),
    );
    let killed = 0;
    await each(moments, async (kills) => {
      const dir = fresh();
      for (const share of kills) {
        const { child, ended } = start(dir, scenario);
        // Not before the program itself has begun: until then there is nothing to kill.
        while (child.exitCode === null && !existsSync(join(dir, 'journal')))
          await new Promise((resolve) => setTimeout(resolve, 1));
        const timer = setTimeout(() => child.kill('SIGKILL'), share * whole * 0.5);
        if ((await ended) === 'SIGKILL') killed++;
        clearTimeout(timer);
      }
      await resume(dir, failing, expected, `killed at ${kills.map((one) => one.toFixed(3)).join(', ')}`);
      rmSync(dir, { recursive: true });
    });
    expect(killed).toBeGreaterThan(moments.length / 3);
  }, 600_000);
});
