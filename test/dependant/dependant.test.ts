import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordedFacts } from '../support/plan-context.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PACKED = ['src', 'scripts', 'data', 'package.json', 'tsconfig.json', 'tsconfig.declarations.json', '.npmrc'];

let base: string;
let app: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'kubexm-dependant-'));
  app = join(base, 'app');
  install();
}, 300_000);
afterAll(() => rmSync(base, { recursive: true, force: true }));

/**
 * Builds and packs a copy of this checkout, and unpacks the package into a project of its own, as npm does; with the packages it
 * depends on, which `npm ls` confirms. No registry is asked.
 */
function install(): void {
  const source = join(base, 'source');
  for (const name of PACKED) cpSync(join(root, name), join(source, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'));
  for (const script of ['build.mjs', 'declarations.mjs']) run(source, process.execPath, join('scripts', script));
  run(source, 'npm', 'pack', '--pack-destination', base);

  cpSync(new URL('project', import.meta.url), app, { recursive: true });
  plantPackages();
  const installed = join(app, 'node_modules/kubexm');
  mkdirSync(installed);
  run(base, 'sh', '-c', `tar -xzf kubexm-*.tgz -C ${installed} --strip-components=1`);
  run(app, 'npm', 'ls', '--all');

  const machine = recordedFacts('debian-12', { arch: 'amd64', swapBytes: 0 });
  const facts = { cp1: machine, node1: { ...machine, machineId: '2'.repeat(32) }, local: machine };
  writeFileSync(join(app, 'facts.json'), JSON.stringify(facts));
}

/** What npm would install for a user of the package: of the packages here, those that are not for development alone. */
function plantPackages(): void {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<
      Record<string, { readonly dev?: true; readonly optional?: true; readonly devOptional?: true }>
    >;
  };
  const types = ['node_modules/@types/node', 'node_modules/undici-types'];
  for (const [path, { dev, optional, devOptional }] of Object.entries(lock.packages)) {
    if (path === '' || ((dev ?? optional ?? devOptional) && !types.includes(path))) continue;
    mkdirSync(dirname(join(app, path)), { recursive: true });
    cpSync(join(root, path), join(app, path), { recursive: true });
  }
}

function run(cwd: string, program: string, ...args: readonly string[]): string {
  const env = { ...process.env, HOME: base, KUBEXM_HOME: join(base, 'home') };
  try {
    return execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  }
}

test('the declarations of the package are enough for strict settings, library files included', () => {
  expect(run(app, join(root, 'node_modules/.bin/tsc'), '-p', '.')).toBe('');
});

test('a program loads a configuration, plans with known facts and prints the plan', () => {
  const said = run(app, process.execPath, '--disable-warning=ExperimentalWarning', 'program.ts');
  expect(said).toContain('dependant: cp1 (etcd, master), node1 (worker)');
  expect(said).toMatch(/^\d+ steps, \d+ nodes, 2 hosts and the local machine, 1 barrier$/m);
  expect(said).toMatch(/^the longest path takes [\d.]+ s$/m);
  expect(said).toContain('KX4042: nothing is known about cp1, node1, local yet');
  expect(readFileSync(join(base, 'home', 'config'), 'utf8')).toContain('currentContext: dependant');
});

test('nothing but what src/index.ts lists can be imported', () => {
  const inner = "import('kubexm/dist/index.mjs').then(() => console.log('found'), (error) => console.log(error.code))";
  expect(run(app, process.execPath, '-e', inner)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n');
  expect(readFileSync(join(root, 'src/index.ts'), 'utf8')).not.toMatch(/^export \*/m);
});
