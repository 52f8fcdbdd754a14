import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configFor } from '../../test/support/plan-context.ts';
import { getArtifact } from '../artifacts/handles/index.ts';
import type { RunEvent } from '../model/event.ts';
import { on } from '../plan/combinators.ts';
import { defineModule, definePipeline, defineTask } from '../plan/layers.ts';
import { type PlannedRun, type RunPipelineOptions, runPipeline } from './run-pipeline.ts';

const dir = mkdtempSync(join(tmpdir(), 'kubexm-run-artifacts-'));
const path = process.env['PATH'];
beforeAll(() => {
  // A Go that knows its settings and builds nothing.
  mkdirSync(join(dir, 'bin'));
  const settings = '{"GOVERSION":"go1.26.8","GOPROXY":"http://127.0.0.1:1","GOSUMDB":"sum.golang.org"}';
  writeFileSync(join(dir, 'bin', 'go'), `#!/bin/sh\ncase "$1" in env) echo '${settings}' ;; *) exit 1 ;; esac\n`);
  chmodSync(join(dir, 'bin', 'go'), 0o755);
  process.env['PATH'] = `${join(dir, 'bin')}:${path}`;
  writeFileSync(join(dir, 'c.yaml'), configFor({}));
});
afterAll(() => {
  process.env['PATH'] = path;
  rmSync(dir, { recursive: true, force: true });
});

/** A pipeline that gets one program, which only a build gives. */
function getting(needs: readonly string[]) {
  const build = {
    style: 'module',
    modules: [{ path: 'example.org/tool', version: 'v1.0.0' }],
    programs: { tool: 'example.org/tool' },
    arches: ['amd64'],
    cgo: needs.length > 0,
    needs,
    tags: [],
    ldflags: [],
    cost: { cpuSeconds: 1800, megabytes: 1 },
  } as const;
  const file = {
    name: 'tool',
    kind: 'binary',
    file: 'tool',
    arch: 'amd64',
    url: 'https://example.org/tool',
    mirrors: [],
    programs: { tool: 'tool' },
    hosts: ['a'],
  } as const;
  const about = { component: 'tool', version: '1.0.0', group: 'tool', arch: 'amd64', optional: false } as const;
  const want = {
    job: { kind: 'files', ...about, files: [file], builds: [build] },
    workDir: dir,
    cacheDir: join(dir, 'cache'),
    sources: [{ type: 'go' }],
    lock: {},
  } as const;
  const task = defineTask({
    name: 'demo/get',
    description: 'Gets a program.',
    tags: [],
    steps: [getArtifact],
    plan: ({ local }) => on(local, getArtifact(want)),
  });
  const module = { name: 'demo', description: 'Gets.', tasks: [task] };
  return definePipeline({
    name: 'demo',
    description: 'Gets a program.',
    actsOn: ['**'],
    local: true,
    modules: [defineModule({ ...module, plan: (context) => task.use(context, undefined) })],
  });
}

async function run(needs: readonly string[], more: Partial<RunPipelineOptions> = {}) {
  const events: RunEvent[] = [];
  const sinks = [(event: RunEvent) => void events.push(event)];
  const env = { PATH: join(dir, 'bin'), GOPROXY: 'http://127.0.0.1:1' };
  const options = { configFile: join(dir, 'c.yaml'), baseDir: dir, env, sinks, ...more };
  const report = await runPipeline(getting(needs), undefined, options);
  return { report, events, started: events.find((event) => event.type === 'run-started') };
}

test('the sources were asked before the run says how long it takes, and its builds are counted together', async () => {
  const { started, events, report } = await run([]);
  const seconds = 15 + 1800 / (availableParallelism() * 0.9);
  expect(started).toMatchObject({
    builds: { programs: 1, seconds: Math.round(seconds), cores: availableParallelism() },
    estimateSeconds: 2 + Math.round(seconds),
  });
  expect(report.outcome).toBe('failed');
  const told = events.flatMap((event) => (event.type === 'build-progress' ? [event] : []));
  expect(told[0]).toMatchObject({ programs: 1, built: 0, share: 0, leftSeconds: Math.round(seconds) });
  // A build that failed is nothing that is still to be waited for.
  expect(told.at(-1)).toMatchObject({ programs: 0, leftSeconds: 0 });
});

test('a dry run estimates the same, builds nothing, and says what the run would lack', async () => {
  const plans: PlannedRun[] = [];
  const good = await run([], { dryRun: true, onPlanned: (planned) => void plans.push(planned) });
  expect(good.report.outcome).toBe('succeeded');
  expect(good.started).toMatchObject({ builds: { programs: 1 } });
  expect(good.events.map(({ type }) => type)).not.toContain('build-progress');
  const [plan] = plans;
  const use = plan?.graph.use(0);
  if (plan === undefined || use === undefined || good.started?.type !== 'run-started') throw new Error('no plan');
  expect(plan.weightOf(use)).toBe(good.started.estimateSeconds);
  const bad = await run(['libmissing-dev'], { dryRun: true });
  const warnings = bad.events.flatMap((event) => (event.type === 'warning' ? [event.error.code] : []));
  expect([bad.report.outcome, warnings]).toEqual(['succeeded', [expect.stringMatching(/KX704[23]/)]]);
  await expect(run(['libmissing-dev'])).rejects.toMatchObject({ code: expect.stringMatching(/KX704[23]/) });
});
