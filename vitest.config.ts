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
// What needs a host with an init system of its own, or builds programs of others from source and runs them: minutes, wherever it
// is tried. `npm run test:quick` leaves this out, with the lab.
const MACHINE = /describeSystemdHosts|registryProgram|needs go\b/;
const text = (file: string): string => readFileSync(join(here.cwd, file), 'utf8');
const machine = others.filter((file) => MACHINE.test(text(file)));
const quick = others.filter((file) => !machine.includes(file));
const apart = quick.filter((file) => STARTS.test(text(file)));
const shared = quick.filter((file) => !apart.includes(file));

// Where scripts/test.mjs made one in memory.
const scratch = process.env['KUBEXM_TEST_TMPDIR'];
// Times are shown in the zone of whoever looks: in tests that is nobody's.
const env = { TZ: 'UTC', ...(scratch ? { TMPDIR: scratch } : {}) };

export default defineConfig({
  test: {
    reporters: ['default', new SkipReporter()],
    globalSetup: 'test/rig/programs-setup.ts',
    // Many tests mostly wait for servers and processes of their own; too many of them would time each other out.
    pool: 'forks',
    maxWorkers: 4,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    // What is waited for comes late on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    restoreMocks: true,
    unstubEnvs: true,
    coverage: { provider: 'v8', include: ['src/**/*.ts'], exclude: ['**/*.test.ts'] },
    projects: [
      { extends: true, test: { name: 'unit', include: shared, isolate: false, env } },
      { extends: true, test: { name: 'process', include: apart, env } },
      { extends: true, test: { name: 'machine', include: machine, env } },
      { extends: true, test: { name: 'lab', include: LAB } },
    ],
  },
});
