import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SkipReporter } from './scripts/test-reporter.ts';

const here = { cwd: import.meta.dirname };
const LAB = ['test/lab/**/*.test.ts', 'src/**/*.lab.test.ts'];
const lab = globSync(LAB, here);
const others = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], here).filter((file) => !lab.includes(file));

// Files share their processes, because loading everything anew for each costs more than most of them do. A process that has loaded
// much is slow to start others: those that start many share other ones. A module that is mocked must not be loaded yet.
const STARTS =
  /child_process|localMachine|connectMachine|\/(?:sshd|driven|posix-shells|bench|cli|terminal|one-host|os-contract)\.ts'/;
const MOCKS = /vi\.mock/;
// What needs a host with an init system of its own, or builds programs of others from source and runs them: minutes, wherever it
// is tried; and what needs hosts with nothing but an sshd. `npm run test:quick` leaves both out, with the lab: there are no machines.
const MACHINE = /describeSystemdHosts|registryProgram|needs go\b/;
const HOSTS = /describeHosts/;
const text = (file: string): string => readFileSync(join(here.cwd, file), 'utf8');
const machine = others.filter((file) => MACHINE.test(text(file)));
const hosts = others.filter((file) => !machine.includes(file) && HOSTS.test(text(file)) && !MOCKS.test(text(file)));
const quick = others.filter((file) => !machine.includes(file) && !hosts.includes(file));
const alone = quick.filter((file) => MOCKS.test(text(file)));
const starting = quick.filter((file) => !alone.includes(file) && STARTS.test(text(file)));
const unit = quick.filter((file) => !alone.includes(file) && !starting.includes(file));

// Where scripts/test.mjs made one in memory.
const scratch = process.env['KUBEXM_TEST_TMPDIR'];
// Times are shown in the zone of whoever looks: in tests that is nobody's.
const env = { TZ: 'UTC', ...(scratch ? { TMPDIR: scratch } : {}) };

// Many tests mostly wait for servers and processes of their own; too many of them, or of machines, would time each other out.
const quickly = { maxWorkers: 6, sequence: { groupOrder: 0 } };
const slowly = { maxWorkers: 4, sequence: { groupOrder: 1 } };

export default defineConfig({
  test: {
    reporters: ['default', new SkipReporter()],
    globalSetup: 'test/rig/programs-setup.ts',
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
      { extends: true, test: { name: 'lab', include: LAB, ...slowly } },
    ],
  },
});
