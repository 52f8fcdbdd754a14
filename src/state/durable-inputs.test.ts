import type * as fs from 'node:fs';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { configFor } from '../../test/support/plan-context.ts';
import { on } from '../plan/combinators.ts';
import { defineModule, definePipeline, defineTask } from '../plan/layers.ts';
import { dedicated } from '../plan/step.ts';
import { runPipeline } from '../runtime/run-pipeline.ts';
import { file } from '../step/generic/index.ts';
import { ClusterManifests } from './manifests.ts';
import { makeWorkDir } from './work-dir.ts';

/** What became of files, in order: `sync` of a file or directory, and names that came to be. */
const calls = vi.hoisted((): string[] => []);
vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  return {
    ...real,
    fsyncSync: (fd: number) => {
      calls.push(`sync ${real.readlinkSync(`/proc/self/fd/${fd}`)}`);
      real.fsyncSync(fd);
    },
    fsync: (fd: number, done: fs.NoParamCallback) => {
      calls.push(`sync ${real.readlinkSync(`/proc/self/fd/${fd}`)}`);
      real.fsync(fd, done);
    },
    renameSync: (from: string, to: string) => {
      calls.push(`rename ${to}`);
      real.renameSync(from, to);
    },
    linkSync: (from: string, to: string) => {
      calls.push(`link ${to}`);
      real.linkSync(from, to);
    },
    mkdirSync: (path: string, options?: fs.MakeDirectoryOptions) => {
      const made = real.mkdirSync(path, options);
      if (made !== undefined) calls.push(`mkdir ${path}`);
      return made;
    },
  };
});

const base = realpathSync(mkdtempSync(join(tmpdir(), 'kubexm-durable-')));
let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(base, 'at-'));
  calls.length = 0;
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const write = dedicated('write', file, 'A file.', (path: string) => file({ path, content: 'x\n', mode: '0600' }));
const task = defineTask({
  name: 'demo/write',
  description: 'A file.',
  tags: [],
  steps: [write],
  plan: (context) => on(context.local, write(join(dir, 'written'))),
});
const demo = definePipeline({
  name: 'demo',
  description: 'A file.',
  actsOn: ['**'],
  local: true,
  modules: [defineModule({ name: 'demo', description: 'A file.', tasks: [task], plan: (c) => task.use(c, undefined) })],
});

describe.runIf(process.platform === 'linux')('on disk', () => {
  test('all that a run was planned from, before its journal has its name', async () => {
    const configFile = join(dir, 'c.yaml');
    writeFileSync(configFile, configFor({}));
    const { run } = await runPipeline(demo, undefined, { configFile, baseDir: dir, env: {} });
    const at = join(dir, '.kubexm/demo/runs', run);
    const began = calls.indexOf(`link ${at}/journal.jsonl`);
    expect(began).toBeGreaterThan(0);
    const names = ['facts', 'manifests', 'artifacts', 'config', 'plan', 'params', 'selection', 'overrides'];
    for (const path of [...names.map((name) => join(at, `${name}.json`)), join(dir, '.kubexm/demo/uid')]) {
      const named = calls.indexOf(`rename ${path}`);
      expect(calls.indexOf(`sync ${path}.new`), `content of ${path}`).toBeLessThan(named);
      expect(calls.slice(0, named), `content of ${path}`).toContain(`sync ${path}.new`);
      expect(calls.slice(named, began), `name of ${path}`).toContain(`sync ${dirname(path)}`);
    }
    for (const made of calls.slice(0, began).filter((call) => call.startsWith('mkdir '))) {
      const path = made.slice('mkdir '.length);
      expect(calls.slice(calls.indexOf(made), began), `name of ${path}`).toContain(`sync ${dirname(path)}`);
    }
    expect(calls).toContain(`mkdir ${dir}/.kubexm`);
    expect(calls).toContain(`mkdir ${at}`);
  });

  test('the name of a host, before the host is changed; thousands share a few syncs', async () => {
    const workDir = makeWorkDir(dir, 'demo');
    const { touches } = new ClusterManifests(workDir, 'demo').writer('uid-1', []);
    const note = join(workDir.cluster, 'changed-hosts');
    const begun = calls.indexOf(`rename ${note}`);
    expect(calls.slice(begun)).toContain(`sync ${workDir.cluster}`);
    calls.length = 0;
    await touches('a');
    await touches('a');
    expect(calls).toEqual([`sync ${note}`]);
    expect(readFileSync(note, 'utf8')).toBe('a\n');
    const many = Array.from({ length: 1000 }, (_, i) => `host${i}`);
    await Promise.all([...many, ...many].map((host) => touches(host)));
    expect(readFileSync(note, 'utf8')).toBe(['a', ...many, ''].join('\n'));
    expect(calls.length).toBeLessThan(10);
  });
});
