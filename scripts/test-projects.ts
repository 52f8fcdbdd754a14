import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const cwd = join(import.meta.dirname, '..');

export const LAB = ['test/lab/**/*.test.ts', 'src/**/*.lab.test.ts'];

// Files share their processes, because loading everything again for each costs more than most of them do. A process that has loaded
// much is slow to start others: those that start many share other ones. A module that is mocked must not be loaded yet.
const STARTS =
  /child_process|localMachine|connectMachine|\/(?:sshd|driven|posix-shells|bench|cli|terminal|one-host|os-contract|shell-server|foreign-ca)\.ts'/;
const MOCKS = /vi\.mock/;
// Tests that build programs of others from source and run them: they need the network.
const BUILDS = /registryProgram|needs go\b/;
// What needs a host with an init system of its own: minutes, wherever it is tried; and what needs hosts with nothing but an sshd.
// `npm run test:quick` leaves both out, with the lab: there are no machines.
const MACHINE = /describeSystemdHosts/;
const HOSTS = /describeHosts/;

/** A part of the tests, by what it needs. */
type Project = 'unit' | 'process' | 'hosts' | 'alone' | 'machine' | 'build' | 'lab';

/** The files of every project. */
export function testProjects(): Record<Project, string[]> {
  const lab = globSync(LAB, { cwd });
  const texts = new Map(
    globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd })
      .filter((file) => !lab.includes(file))
      .map((file) => [file, readFileSync(join(cwd, file), 'utf8')]),
  );
  const projects: Record<Project, string[]> = {
    unit: [],
    process: [],
    hosts: [],
    alone: [],
    machine: [],
    build: [],
    lab,
  };
  for (const [file, text] of texts) projects[projectOf(text)].push(file);
  return projects;
}

function projectOf(text: string): Project {
  if (BUILDS.test(text)) return 'build';
  if (MACHINE.test(text)) return 'machine';
  if (MOCKS.test(text)) return 'alone';
  if (HOSTS.test(text)) return 'hosts';
  return STARTS.test(text) ? 'process' : 'unit';
}

/** Projects that have to reach other machines. All others run in a network and a process namespace of their own. */
const OUTSIDE: readonly string[] = ['build', 'lab'];

const WITH_VALUE = /^(?:-t|--(?:testNamePattern|project|reporter|outputFile|shard|maxWorkers|testTimeout|bail|retry))$/;

/** The runs of vitest that these arguments ask for: those of a network of their own first. */
export function testPasses(args: readonly string[]): { readonly outside: boolean; readonly args: readonly string[] }[] {
  const named = args.flatMap((arg, i) =>
    arg.startsWith('--project=') ? [arg.slice(10)] : arg === '--project' ? [args[i + 1] ?? ''] : [],
  );
  const rest = args.filter(
    (arg, i) => !arg.startsWith('--project=') && arg !== '--project' && args[i - 1] !== '--project',
  );
  const words = rest.filter((arg, i) => !arg.startsWith('-') && !WITH_VALUE.test(rest[i - 1] ?? ''));
  const all = testProjects();
  const names = Object.keys(all) as Project[];
  const wanted = named.length > 0 ? names.filter((name) => named.includes(name)) : names;
  const meant = wanted.filter((name) => all[name].some((file) => words.some((word) => file.includes(word))));
  // Words that match nothing are left to vitest to complain about.
  const chosen = words.length > 0 && meant.length > 0 ? meant : wanted;
  return [false, true]
    .map((outside) => ({ outside, projects: chosen.filter((name) => OUTSIDE.includes(name) === outside) }))
    .filter(({ projects }) => projects.some((name) => all[name].length > 0))
    .map(({ outside, projects }) => ({ outside, args: [...projects.map((name) => `--project=${name}`), ...rest] }));
}
