import { defineConfig } from 'vitest/config';
import { LAB, testProjects } from './scripts/test-projects.ts';
import { SkipReporter } from './scripts/test-reporter.ts';

const { unit, process: starting, hosts, alone, machine, build } = testProjects();

// Where scripts/run-tests.mjs made one in memory.
const scratch = process.env['KUBEXM_TEST_TMPDIR'];
// Times are shown in the user's time zone; tests use UTC.
const env = { TZ: 'UTC', ...(scratch ? { TMPDIR: scratch } : {}) };

// Many tests mostly wait for servers and processes of their own; too many of them, or of machines, would time each other out.
const quickly = { maxWorkers: 6, sequence: { groupOrder: 0 } };
const slowly = { maxWorkers: 4, sequence: { groupOrder: 1 } };

export default defineConfig({
  test: {
    reporters: ['default', new SkipReporter()],
    globalSetup: 'test/rig/programs-setup.ts',
    setupFiles: 'test/rig/setup.ts',
    pool: 'forks',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    // What is waited for comes late on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    restoreMocks: true,
    unstubEnvs: true,
    coverage: { provider: 'v8', include: ['src/**/*.ts'], exclude: ['**/*.test.ts'] },
    projects: [
      { extends: true, test: { name: 'unit', include: unit, isolate: false, env, ...quickly } },
      { extends: true, test: { name: 'process', include: starting, isolate: false, env, ...quickly } },
      { extends: true, test: { name: 'hosts', include: hosts, isolate: false, env, ...quickly } },
      { extends: true, test: { name: 'alone', include: alone, env, ...quickly } },
      { extends: true, test: { name: 'machine', include: machine, env, ...slowly } },
      { extends: true, test: { name: 'build', include: build, env, ...slowly } },
      { extends: true, test: { name: 'lab', include: LAB, ...slowly } },
    ],
  },
});
