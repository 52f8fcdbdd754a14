import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { labConfig } from '../../src/lab/index.ts';
import type { PlannedBuilds } from '../../src/model/event.ts';
import { buildProgram, bundle } from '../lib/bundle.ts';
import { runProcess } from '../lib/process.ts';
import { atMost, type Findings, info, type Section } from '../lib/report.ts';
import { withScratch } from '../lib/scratch.ts';
import { sampleOf } from '../lib/stats.ts';

/** Quickstart from nothing: minutes on so many idle cores. */
const GOAL = { minutes: 12, cores: 2 } as const;
/** What quickstart needs beside, as it announces itself: the image of the lab, machines, the cluster, its check. */
const REST_SECONDS = 211;
const SHOWN = 5;

/** Everything that quickstart gets, where only a module proxy answers and nothing is here. */
export const coldBuilds: Section = {
  name: 'cold',
  title: 'Artifacts built from source',
  takes: 'a quarter of an hour or more',
  problem: () => (spawnSync('bash', ['-c', ':']).status === 0 ? undefined : 'needs bash'),
  async run() {
    await buildProgram();
    return await withScratch(measure);
  },
};

/** A run in directories of its own. `KUBEXM_BENCH_COLD=runc,crictl` measures a part, to try the benchmark itself. */
async function measure(dir: string): Promise<Findings> {
  const only = process.env['KUBEXM_BENCH_COLD'] ?? '';
  const config = join(dir, 'quickstart.yaml');
  const machines = [1, 2].map((i) => ({ name: `quickstart-${i}`, address: `192.0.2.${i}`, sshKeyPath: '/dev/null' }));
  writeFileSync(config, labConfig({ name: 'quickstart', user: 'root', machines }));
  const env = coldEnv(dir);
  try {
    const load = loadavg()[0] ?? 0;
    const { seconds, cpuSeconds, builds } = await timed(await bundle('cold', dir), { config, base: dir, only }, env);
    const times = timesOf(join(dir, 'home', 'cache', 'artifacts', 'build-times.json'));
    return findings({ seconds, cpuSeconds, builds, times, load, only });
  } finally {
    // Go keeps modules read-only.
    spawnSync('chmod', ['-R', 'u+w', dir]);
  }
}

/** The caches of Go and of kubexm are empty, and no other source is asked. */
function coldEnv(dir: string): NodeJS.ProcessEnv {
  const places = { GOPATH: 'go', GOMODCACHE: 'go/pkg/mod', GOCACHE: 'go/build', KUBEXM_HOME: 'home' };
  const own = Object.fromEntries(Object.entries(places).map(([name, path]) => [name, join(dir, path)]));
  for (const path of Object.values(own)) mkdirSync(path, { recursive: true });
  return { ...process.env, ...own, KUBEXM_SOURCES: 'go' };
}

/** Runs the program with the goal's cores and no more. The shell tells the CPU time of all that was started. */
async function timed(program: string, args: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv) {
  const words = Object.entries(args).map(([name, value]) => `${name}=${value}`);
  const pin = availableParallelism() > GOAL.cores ? ['taskset', '-c', `0-${GOAL.cores - 1}`] : [];
  const script = 'TIMEFORMAT="cpu %U %S"; time "$@"';
  const command = [...pin, process.execPath, '--disable-warning=ExperimentalWarning', program, ...words];
  const ended = await runProcess('bash', ['-c', script, 'bash', ...command], { env, timeoutSeconds: 2 * 3600 });
  const [, user = 0, system = 0] = (/^cpu ([\d.]+) ([\d.]+)$/m.exec(ended.stderr) ?? []).map(Number);
  const last = ended.stdout.trimEnd().split('\n').at(-1) ?? '';
  const { builds } = JSON.parse(last) as { readonly builds?: PlannedBuilds };
  return { seconds: ended.seconds, cpuSeconds: user + system, builds };
}

/** What each build took, the longest first. */
function timesOf(file: string): readonly (readonly [recipe: string, seconds: number])[] {
  const { builds } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly builds: Readonly<Record<string, { readonly seconds: number }>>;
  };
  const times = Object.entries(builds).map(([recipe, { seconds }]) => [recipe, seconds] as const);
  return times.sort(([, a], [, b]) => b - a);
}

interface Cold {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly builds: PlannedBuilds | undefined;
  readonly times: ReturnType<typeof timesOf>;
  readonly load: number;
  readonly only: string;
}

/** What a cold run says. */
export function findings({ seconds, cpuSeconds, builds, times, load, only }: Cold): Findings {
  const one = (what: string, value: number) => info(what, sampleOf([value]), 's', 0);
  const whole = `quickstart with them: ${REST_SECONDS} s more`;
  const goal = atMost(whole, GOAL.minutes * 60, sampleOf([seconds + REST_SECONDS]), 's', 0);
  const cores = Math.min(GOAL.cores, availableParallelism());
  return {
    rows: [
      one(only === '' ? 'all programs and images of quickstart' : `${only} alone`, seconds),
      ...(only === '' ? [goal] : []),
      one('CPU time of it', cpuSeconds),
      info('cores busy', sampleOf([cpuSeconds / seconds]), '', 2),
      ...(builds === undefined ? [] : [one(`what was announced for ${builds.programs} programs`, builds.seconds)]),
      ...times.slice(0, SHOWN).map(([recipe, took]) => one(`built: ${short(recipe)}`, took)),
    ],
    how: [
      `From nothing: the caches of Go and of kubexm are empty, and only a module proxy is asked. On ${cores} cores, which had a load of ` +
        `${load.toFixed(1)} before: the goal, ${GOAL.minutes} minutes for quickstart from nothing, is for idle ones. The ${REST_SECONDS} s are what ` +
        'quickstart announces for the image of the lab, machines, the cluster and its check. ' +
        `The ${SHOWN} longest builds are listed, each with the time it ` +
        'would take with all cores for itself: two run at a time. Once.',
    ],
    ...(only === '' ? {} : { partial: true }),
  };
}

/** A recipe with many programs by their number. */
function short(recipe: string): string {
  const [place = '', programs = ''] = recipe.split(': ');
  const names = programs.replace(/ from nothing$/, '').split(', ');
  return names.length > 7 ? `${place}: ${names.length} programs` : `${place}: ${names.join(', ')}`;
}
