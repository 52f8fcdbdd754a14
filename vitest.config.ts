import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SkipReporter } from './scripts/test-reporter.ts';

const here = { cwd: import.meta.dirname };
const LAB = ['test/lab/**/*.test.ts', 'src/**/*.lab.test.ts'];
const lab = globSync(LAB, here);
const others = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], here).filter((file) => !lab.includes(file));

// A process that has loaded much is slow to start others, and a module that is mocked must not be loaded yet: such tests get a
// process for each file. All others share theirs, because loading everything anew for each costs more than most of them do.
const STARTS =
  /child_process|vi\.mock|localMachine|connectMachine|\/(?:sshd|driven|posix-shells|bench|cli|terminal|one-host|os-contract)\.ts'/;
const apart = others.filter((file) => STARTS.test(readFileSync(join(here.cwd, file), 'utf8')));
const shared = others.filter((file) => !apart.includes(file));

// Where scripts/test.mjs made one in memory.
const scratch = process.env['KUBEXM_TEST_TMPDIR'];
const memory = scratch ? { env: { TMPDIR: scratch } } : {};

export default defineConfig({
  test: {
    reporters: ['default', new SkipReporter()],
    globalSetup: 'test/rig/programs-setup.ts',
    // Many tests mostly wait for servers and processes of their own; too many of them would time each other out.
    pool: 'forks',
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    restoreMocks: true,
    unstubEnvs: true,
    coverage: { provider: 'v8', include: ['src/**/*.ts'], exclude: ['**/*.test.ts'] },
    projects: [
      { extends: true, test: { name: 'unit', include: shared, isolate: false, ...memory } },
      { extends: true, test: { name: 'process', include: apart, ...memory } },
      { extends: true, test: { name: 'lab', include: LAB } },
    ],
  },
});
