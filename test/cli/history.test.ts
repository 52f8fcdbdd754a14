import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { fanOut, openEventStore, Redactor, type RunEvent, recordContext, workDirOf } from '../../src/index.ts';
import { call, cli, tempDir } from './rig/cli.ts';
import { scriptedEnd, scriptedRun } from './rig/scripted-run.ts';

const RUN = '20260131-120000-abcdef';
const START = Date.UTC(2026, 0, 31, 12);
const hosts = ['node1', 'node2', 'node3'];

async function store(baseDir: string, ...runs: readonly (readonly RunEvent[])[]): Promise<void> {
  const dir = workDirOf(baseDir, 'prod');
  mkdirSync(dir.cluster, { recursive: true });
  for (const events of runs) {
    const sink = fanOut(new Redactor(), [openEventStore(dir.events)]);
    for (const event of events) sink(event);
    await sink.close();
  }
}

const failed = [...scriptedRun(hosts, START).map(([, event]) => event), scriptedEnd(hosts, START + 84_000)];

// How far a step has come is shown while it runs, and not kept.
const kept = failed.filter((event) => event.type !== 'node-progress');

/** The same, an hour later, under another name. */
function later(events: readonly RunEvent[], run: string): RunEvent[] {
  return events.map((event) => ({ ...event, run, at: event.at + 3_600_000 }));
}

async function withRuns(): Promise<string> {
  const cwd = tempDir();
  await store(cwd, failed, later(failed, '20260131-130000-fedcba'));
  return cwd;
}

test('get runs: newest first, in every format', async () => {
  const cwd = await withRuns();
  const { code, stdout, stderr } = await call(['get', 'runs'], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatchInlineSnapshot(`
    "RUN                      PIPELINE         CLUSTER   STATUS   STARTED                 DURATION   CHANGED   FAILED
    20260131-130000-fedcba   create cluster   prod      failed   2026-01-31 13:00:00   1 min 24 s         5        1
    20260131-120000-abcdef   create cluster   prod      failed   2026-01-31 12:00:00   1 min 24 s         5        1
    "
  `);
  expect((await call(['get', 'runs', '-o', 'wide', '--lang', 'zh', '--limit', '1'], { cwd })).stdout).toContain(
    '启动次数',
  );
  expect((await call(['get', 'runs', '-o', 'name'], { cwd })).stdout).toBe(`20260131-130000-fedcba\n${RUN}\n`);
  const runs = JSON.parse((await call(['get', 'runs', '-o', 'json', '--limit', '1'], { cwd })).stdout);
  expect(runs).toMatchObject([{ id: '20260131-130000-fedcba', status: 'failed' }]);
  expect(JSON.parse((await call(['get', 'runs', '-o', 'json', '--pipeline', 'nothing'], { cwd })).stdout)).toEqual([]);
});

test('get metrics: all runs there were, in the format of Prometheus', async () => {
  const cwd = await withRuns();
  const { code, stdout } = await cli(['get', 'metrics'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain('kubexm_pipeline_total{pipeline="create_cluster",status="failure"} 2');
  expect(stdout).toMatch(/^kubexm_step_duration_seconds_count\{step="[^"]+"\} \d+$/m);
});

test('get runs: where there are none', async () => {
  const { code, stdout, stderr } = await call(['get', 'runs'], { cwd: tempDir() });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: 'No runs here yet.\n' });
});

test('get runs: from elsewhere, those of the current context', async () => {
  const cwd = await withRuns();
  const env = { KUBEXM_HOME: join(cwd, 'home') };
  recordContext(env, { name: 'prod', configFile: join(cwd, 'c.yaml'), baseDir: cwd });
  const elsewhere = tempDir();
  expect((await call(['get', 'runs', '-o', 'name'], { cwd: elsewhere, env })).stdout).toContain(RUN);
  expect((await call(['get', 'runs', '-o', 'name', '-c', 'prod'], { cwd: elsewhere, env })).stdout).toContain(RUN);
  expect((await call(['get', 'runs', '-c', 'prdo'], { cwd: elsewhere, env })).stderr).toContain('Did you mean prod?');
});

test('describe run: what failed, why, what to do, how to go on', async () => {
  const cwd = await withRuns();
  const { code, stdout } = await call(['describe', 'run', RUN], { cwd });
  expect(code).toBe(0);
  expect(stdout.replaceAll(cwd, '')).toMatchSnapshot();
  const zh = await call(['describe', 'run', RUN, '--lang', 'zh'], { cwd });
  expect(zh.stdout.replaceAll(cwd, '')).toMatchSnapshot();
});

test('describe run: by the beginning, the end, or last; as data', async () => {
  const cwd = await withRuns();
  const id = async (word: string) => (await call(['describe', 'run', word, '-o', 'name'], { cwd })).stdout.trim();
  expect([await id('last'), await id('20260131-12'), await id('abcdef')]).toEqual(['20260131-130000-fedcba', RUN, RUN]);
  const many = await call(['describe', 'run', '2026'], { cwd });
  expect(many.code).toBe(64);
  expect(many.stderr).toContain('KX1023 2026 could be 2 runs');
  const asYaml = parse((await call(['describe', 'run', RUN, '-o', 'yaml'], { cwd })).stdout);
  expect(asYaml).toMatchObject({
    id: RUN,
    durationMs: 84_000,
    resume: `kubexm create cluster -f config.yaml --resume ${RUN}`,
  });
  expect(asYaml.slowest.length).toBeGreaterThan(3);
});

test('a run whose process is gone has no end, and can be resumed', async () => {
  const cwd = tempDir();
  const { events } = workDirOf(cwd, 'prod');
  mkdirSync(dirname(events), { recursive: true });
  const library = JSON.stringify(join(import.meta.dirname, '../../src/index.ts'));
  const script = `import { fanOut, openEventStore, Redactor } from ${library};
    const sink = fanOut(new Redactor(), [openEventStore(${JSON.stringify(events)})]);
    for (const event of ${JSON.stringify(failed.slice(0, -1))}) sink(event);
    await sink.close();
    process.kill(process.pid, 'SIGKILL');`;
  spawnSync(process.execPath, ['--input-type=module', '-e', script]);
  expect((await call(['get', 'runs'], { cwd })).stdout).toContain('ended unseen');
  const { stdout } = await call(['describe', 'run', 'last'], { cwd });
  expect(stdout).toContain(`Go on with\n  kubexm create cluster -f config.yaml --resume ${RUN}`);
});

test('get events: filtered by run, host, step, type and time', async () => {
  const cwd = await withRuns();
  const count = async (...args: string[]) =>
    (JSON.parse((await call(['get', 'events', '-o', 'json', ...args], { cwd })).stdout) as RunEvent[]).length;
  expect(await count('--run', RUN)).toBe(kept.length);
  expect(await count('--run', RUN, '--host', 'node3')).toBe(
    kept.filter((event) => 'host' in event && event.host === 'node3').length,
  );
  expect(await count('--run', RUN, '--type', 'run-started,run-finished')).toBe(2);
  expect(await count('--run', 'last', '--node', 'os/prepare/*')).toBe(9);
  expect(await count('--since', '2026-01-31T12:30:00Z')).toBe(kept.length);
  expect(await count('--since', '1s')).toBe(0);
  expect(await count('--limit', '3')).toBe(3);
});

test('get events: a table for people', async () => {
  const cwd = await withRuns();
  const { stdout } = await call(['get', 'events', '--run', RUN, '--type', 'node-finished,message', '--host', 'node3'], {
    cwd,
  });
  expect(stdout).toContain('2026-01-31 12:00:01   node-finished   node3');
  expect(stdout).toContain('KX4002');
  const none = await call(['get', 'events', '--host', 'nobody'], { cwd });
  expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'No events match.\n' });
});
