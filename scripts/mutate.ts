// `npm run mutate -- <folder|file|changed>…`: small defects, one at a time, that a test should notice. The sources stay as they are:
// copies with switches in them are mounted over them, for the tests alone. The last line of each target is its score.
// Not StrykerJS: its mutants would run as root outside of any sandbox, it does not know shell, and it gives up when one test fails.
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { instrumented, type Mutant, mutated } from './mutation/instrument.ts';
import { sample, type Target, targetOf } from './mutation/sample.ts';
import { obstacle, prepare, type Sandbox } from './mutation/sandbox.ts';
import { attempt, type Baseline, baseline, type Outcome } from './mutation/trial.ts';

const root = realpathSync(fileURLToPath(new URL('..', import.meta.url)));
const say = (text: string): void => console.log(text);
const text = (file: string): string => readFileSync(join(root, file), 'utf8');

const USAGE = `npm run mutate -- <folder of src | file | changed>…
  --mutants <n>   at most so many of each target (40)
  --seed <text>   which ones: the same seed chooses the same mutants (1)
  --minutes <n>   stop trying after so long (20)
  --workers <n>   mutants at a time (2)
  --tests <path>  only tests whose path contains this`;

interface Trial {
  readonly target: Target;
  readonly mutant: Mutant;
  outcome?: Outcome;
}

function options() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      mutants: { type: 'string', default: '40' },
      seed: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '20' },
      workers: { type: 'string', default: '2' },
      tests: { type: 'string', multiple: true, default: [] },
    },
  });
  const number = (value: string): number => {
    if (!/^[1-9]\d*$/.test(value)) throw new Error(`${value} is not a number above zero`);
    return Number(value);
  };
  if (positionals.length === 0) throw new Error(USAGE);
  return {
    targets: positionals.map((word) => targetOf(root, word)),
    mutants: number(values.mutants),
    seed: values.seed,
    minutes: number(values.minutes),
    workers: number(values.workers),
    tests: values.tests,
  };
}

/** Where a mutant is, for a person. */
function placeOf({ file, line, script }: Mutant): string {
  return script === undefined ? `${file}:${line}` : `${script.file}:${script.line}`;
}

/** Copies the sources into the sandbox, with switches in those that have mutants. */
function place({ work }: Sandbox, mutants: readonly Mutant[]): void {
  cpSync(join(root, 'src'), join(work, 'src'), { recursive: true });
  cpSync(join(root, 'scripts/mutation/mutant-switch.ts'), join(work, 'src/mutant-switch.ts'));
  for (const [file, own] of Map.groupBy(mutants, (one) => one.file))
    writeFileSync(join(work, file), instrumented(file, text(file), own));
}

async function tryAll(
  sandbox: Sandbox,
  trials: readonly Trial[],
  known: Baseline,
  workers: number,
  until: number,
): Promise<void> {
  const waiting = trials.values();
  const worker = async (): Promise<void> => {
    for (const trial of waiting) {
      if (Date.now() > until) return;
      trial.outcome = await attempt(sandbox, trial.mutant, known);
      const { kind } = trial.mutant;
      say(`${trial.outcome.caught ? 'caught  ' : 'SURVIVED'} ${placeOf(trial.mutant)} ${kind} (${trial.outcome.by})`);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

/** What a mutant changes, as a diff of its lines. */
function difference(mutant: Mutant): string {
  const before = text(mutant.script?.file ?? mutant.file).split('\n');
  const after = (mutant.script?.text ?? mutated(text(mutant.file), mutant)).split('\n');
  const from = before.findIndex((line, i) => line !== after[i]);
  const tail = before.toReversed().findIndex((line, i) => line !== after.at(-1 - i));
  const part = (lines: readonly string[], sign: string): string[] =>
    lines.slice(from, Math.max(from, lines.length - tail)).map((line) => `  ${sign}${line}`);
  return [...part(before, '-'), ...part(after, '+')].join('\n');
}

function tell(trials: readonly Trial[]): boolean {
  for (const { mutant, outcome } of trials)
    if (outcome?.caught === false) say(`\n${placeOf(mutant)} ${mutant.kind}: ${outcome.by}\n${difference(mutant)}`);
  say('');
  for (const [{ name }, own] of Map.groupBy(trials, (one) => one.target)) {
    const tried = own.filter(({ outcome }) => outcome !== undefined);
    const caught = tried.filter(({ outcome }) => outcome?.caught === true).length;
    const late = tried.filter(({ outcome }) => outcome?.late).length;
    const untried = own.length - tried.length;
    const notes = [
      ...(late > 0 ? [`${late} by the time limit`] : []),
      ...(untried > 0 ? [`no time for ${untried}`] : []),
    ];
    const score = tried.length === 0 ? '' : `, ${Math.round((100 * caught) / tried.length)} %`;
    say(
      `${name}: ${caught} of ${tried.length} mutants caught${score}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`,
    );
  }
  return trials.every(({ outcome }) => outcome?.caught !== false);
}

async function main(): Promise<void> {
  const { targets, mutants, seed, minutes, workers, tests } = options();
  const hindrance = obstacle();
  if (hindrance !== undefined) throw new Error(hindrance);
  const until = Date.now() + minutes * 60_000;
  const chosen = sample(root, targets, seed, mutants);
  const trials: Trial[] = chosen.map(({ target, one }, id) => ({ target, mutant: { ...one, id } }));
  if (trials.length === 0) return say(`${targets.map(({ name }) => name).join(', ')}: there is nothing to mutate`);
  const sandbox = { root, work: realpathSync(mkdtempSync(join(tmpdir(), 'kubexm-mutate-'))) };
  try {
    prepare(sandbox);
    place(
      sandbox,
      trials.map(({ mutant }) => mutant),
    );
    say(`${trials.length} mutants (seed ${seed}); the tests run once without one`);
    const known = await baseline(sandbox, tests, workers, (until - Date.now()) / 1000);
    for (const file of known.failing) say(`not used, because it fails without a mutant: ${file}`);
    await tryAll(sandbox, trials, known, workers, until);
    if (!tell(trials)) process.exitCode = 1;
  } finally {
    rmSync(sandbox.work, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
