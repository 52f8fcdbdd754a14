import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Mutant } from './instrument.ts';
import { inSandbox, type Sandbox } from './sandbox.ts';

/** What the tests do while no mutant is on. */
export interface Baseline {
  /** Seconds per test file that passes. */
  readonly seconds: ReadonlyMap<string, number>;
  /** Test files that reach a mutant. */
  readonly reach: ReadonlyMap<number, ReadonlySet<string>>;
  /** Those that do not, and why. */
  readonly failing: readonly string[];
}

/** What became of a mutant. */
export interface Outcome {
  readonly caught: boolean;
  /** No test failed, but they took so long that they were stopped. */
  readonly late?: true;
  /** The test that noticed, or why none did. */
  readonly by: string;
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const PROJECTS = ['unit', 'process', 'alone', 'hosts'].map((name) => `--project=${name}`);
/** What tests that are not near may take together, in seconds of a run without mutants. */
const FAR_SECONDS = 30;
/** A busy machine takes its time to start them. */
const LEAST_SECONDS = 120;
/** Tests that are near: at most so many. */
const NEAR = 6;

/** Runs the tests once without a mutant, and learns which of them reach which. */
export async function baseline(
  sandbox: Sandbox,
  tests: readonly string[],
  workers: number,
  seconds: number,
): Promise<Baseline> {
  const seen = join(sandbox.work, 'out/seen');
  const { report, text, late } = await vitest(
    sandbox,
    'baseline',
    [...tests, `--maxWorkers=${workers}`],
    { KUBEXM_MUTANTS_SEEN: seen },
    seconds,
  );
  if (late) throw new Error(`the tests took more than ${Math.round(seconds)} s without any mutant`);
  if (report === undefined) throw new Error(`the tests do not run at all:\n${text}`);
  const named = report.testResults.map((one) => ({ ...one, file: relative(sandbox.root, one.name) }));
  const reach = new Map<number, Set<string>>();
  for (const line of existsSync(seen) ? readFileSync(seen, 'utf8').split('\n') : []) {
    const [id, file = ''] = line.split('\t');
    if (file === '') continue;
    const files = reach.get(Number(id)) ?? new Set();
    reach.set(Number(id), files.add(file));
  }
  const passing = named.filter(({ status }) => status === 'passed');
  return {
    seconds: new Map(passing.map(({ file, startTime, endTime }) => [file, Math.max(0, endTime - startTime) / 1000])),
    reach,
    failing: named
      .filter(({ status }) => status !== 'passed')
      .map(({ file, message, assertionResults }) => {
        const failed = assertionResults.find((one) => one.status === 'failed');
        return `${file}: ${(failed?.fullName ?? message).split('\n')[0]}`;
      }),
  };
}

/** Tries one mutant: first on the tests near its file, then on the quickest of the others that reach it. */
export async function attempt(sandbox: Sandbox, mutant: Mutant, known: Baseline): Promise<Outcome> {
  const [near, far] = testsFor(mutant, known);
  if (near.length + far.length === 0) return { caught: false, by: 'no test reaches it' };
  for (const tests of [near, far]) {
    if (tests.length === 0) continue;
    const usual = tests.reduce((sum, file) => sum + (known.seconds.get(file) ?? 0), 0);
    const run = await vitest(
      sandbox,
      `mutant-${mutant.id}`,
      [...tests, '--bail=1', '--maxWorkers=1'],
      { KUBEXM_MUTANT: String(mutant.id) },
      LEAST_SECONDS + 6 * usual,
    );
    if (run.late) return { caught: true, late: true, by: 'tests that never end' };
    if (run.report === undefined) throw new Error(`the tests do not run:\n${run.text}`);
    if (run.code !== 0) return { caught: true, by: firstFailure(run.report) ?? 'an error outside of all tests' };
  }
  return { caught: false, by: `${near.length + far.length} test files pass` };
}

/** Test files that are near (beside it, or in its folder), and others. What runs while a module is loaded is noted for one test file only. */
export function testsFor(
  mutant: Mutant,
  { reach, seconds }: Pick<Baseline, 'reach' | 'seconds'>,
): readonly [near: string[], far: string[]] {
  const stem = basename(mutant.script?.file ?? mutant.file).replace(/\.(ts|sh)$/, '');
  const folder = dirname(mutant.file);
  const beside = [...seconds.keys()].filter(
    (file) => dirname(file) === folder && basename(file).startsWith(`${stem}.`),
  );
  const reached = [...(reach.get(mutant.id) ?? [])].filter((file) => seconds.has(file) && !beside.includes(file));
  const quick = (a: string, b: string): number => (seconds.get(a) ?? 0) - (seconds.get(b) ?? 0);
  const distance = (file: string): number => (dirname(file) === folder ? 0 : 1);
  const ordered = reached.sort((a, b) => distance(a) - distance(b) || quick(a, b));
  const room = Math.max(0, NEAR - beside.length);
  let spent = 0;
  const far = ordered.slice(room).filter((file) => {
    spent += seconds.get(file) ?? 0;
    return spent <= FAR_SECONDS;
  });
  return [[...beside, ...ordered.slice(0, room)], far];
}

async function vitest(
  sandbox: Sandbox,
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  seconds: number,
) {
  const file = join(sandbox.work, 'out', `${name}.json`);
  const program = [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', '--root', sandbox.root];
  const config = [
    '--config',
    'scripts/mutation/vitest.config.ts',
    '--configLoader=native',
    '--reporter=json',
    `--outputFile=${file}`,
  ];
  const ended = await inSandbox(
    sandbox,
    [...program, ...config, ...PROJECTS, ...args],
    { KUBEXM_TEST_SEED: '1', KUBEXM_MUTANTS_MODULES: join(sandbox.work, 'out/modules'), ...env },
    seconds,
  );
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;
  rmSync(file, { force: true });
  return { ...ended, report };
}

function firstFailure(report: Report): string | undefined {
  for (const { name, status, assertionResults } of report.testResults) {
    const failed = assertionResults.find((one) => one.status === 'failed');
    if (failed !== undefined || status === 'failed') return `${basename(name)}: ${failed?.fullName ?? 'does not load'}`;
  }
  return undefined;
}
