import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { configFor } from '../../test/support/plan-context.ts';
import { getArtifact } from '../artifacts/handles/index.ts';
import type { RunEvent } from '../model/event.ts';
import { on, sequence } from '../plan/combinators.ts';
import { defineModule, definePipeline, defineTask } from '../plan/layers.ts';
import { dedicated } from '../plan/step.ts';
import { command } from '../step/generic/index.ts';
import { runPipeline } from './run-pipeline.ts';

const dir = mkdtempSync(join(tmpdir(), 'kubexm-kept-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const want = {
  job: {
    kind: 'files',
    component: 'runc',
    version: '1.4.3',
    group: 'runtime',
    optional: false,
    arch: 'amd64',
    files: [],
    builds: [],
  },
  workDir: dir,
  cacheDir: join(dir, 'cache'),
  sources: [{ type: 'upstream' }],
  lock: {},
} as const;
const fail = dedicated('fail', command, 'Breaks the lock and fails.', (run: string) => command({ run }));
const task = defineTask({
  name: 'demo/fail',
  description: 'Fails.',
  tags: [],
  steps: [getArtifact, fail],
  plan: ({ local }) =>
    sequence(on(local, getArtifact(want)), on(local, fail(`echo broken >${join(dir, 'artifacts.lock')}; exit 3`))),
});
const demo = definePipeline({
  name: 'demo',
  description: 'Fails.',
  actsOn: ['**'],
  local: true,
  modules: [defineModule({ name: 'demo', description: 'Fails.', tasks: [task], plan: (c) => task.use(c, undefined) })],
});

test('a failed run ends with its report, although nobody can tell how many artifacts are here', async () => {
  const configFile = join(dir, 'c.yaml');
  writeFileSync(configFile, configFor({}));
  const events: RunEvent[] = [];
  const sinks = [(event: RunEvent) => void events.push(event)];
  const report = await runPipeline(demo, undefined, { configFile, baseDir: dir, env: {}, sinks });
  expect(report).toMatchObject({ outcome: 'failed', failures: [{ node: expect.stringContaining('fail') }] });
  const told = events.flatMap((event) => (event.type === 'warning' ? [event.error.code] : []));
  expect([told, events.at(-1)?.type]).toEqual([['KX7019'], 'run-finished']);
});
