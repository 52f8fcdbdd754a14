import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach } from 'vitest';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** A directory of the test, the checkout in it, and what is in PATH. */
export let dir: string;
export let checkout: string;
export let tools: string;

/** The package that has a Node for this machine. */
export const PACKAGE = `node-linux-${process.arch}`;
/** A package that npm leaves out when it runs on an old Node. */
export const NATIVE = `node_modules/@rolldown/binding-linux-${process.arch}-gnu`;

/** An npm that only makes links, and that leaves out what the Node it runs on is too old for. */
const NPM = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
const here = dirname(fileURLToPath(import.meta.url));
const [verb, ...flags] = process.argv.slice(2);
if (verb === 'run') {
  console.log(fileURLToPath(import.meta.url));
  process.exit();
}
const on = process.env.NPM_ON ?? 'new';
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const whole = packages['node_modules/esbuild'] !== undefined || Object.keys(packages ?? {}).length === 0;
appendFileSync(join(here, 'npm.log'), JSON.stringify({ verb, flags, on, whole, places: process.env.NODE_PATH, packages: Object.keys(packages ?? {}).length }) + '\\n');
console.log('npm says this on stdout');
if (existsSync(join(here, 'slow'))) await new Promise((done) => setTimeout(done, 300));
if (existsSync(join(here, 'fails'))) process.exit(3);
rmSync('node_modules', { recursive: true, force: true });
mkdirSync('node_modules/${PACKAGE}/bin', { recursive: true });
if (!existsSync(join(here, 'no node'))) symlinkSync('${process.execPath}', 'node_modules/${PACKAGE}/bin/node');
if (whole) symlinkSync('${join(repository, 'node_modules/esbuild')}', 'node_modules/esbuild');
if (whole && on === 'new') mkdirSync('${NATIVE}', { recursive: true });
writeFileSync('node_modules/.package-lock.json', '{}');
`;

/** A checkout with a small program in place of kubexm, and a PATH of chosen programs. */
export function withCheckout(): void {
  beforeEach(() => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), 'kubexm launcher ')));
    chmodSync(dir, 0o755);
    checkout = join(dir, 'check out');
    mkdirSync(join(checkout, 'src/cli'), { recursive: true });
    mkdirSync(join(checkout, 'scripts'));
    for (const name of [
      'kubexm',
      'package.json',
      'package-lock.json',
      'scripts/build.mjs',
      'scripts/bundle-options.mjs',
      'scripts/inline-shell.mjs',
      'scripts/bin.mjs',
      'scripts/setup.sh',
      'scripts/lock-one.mjs',
      'scripts/missing-packages.mjs',
      'scripts/test.mjs',
    ]) {
      cpSync(join(repository, name), join(checkout, name));
    }
    writeFileSync(join(checkout, 'src/index.ts'), 'export const answer: number = 42;\n');
    mkdirSync(join(checkout, 'src/lab/nspawn/repository'), { recursive: true });
    writeFileSync(join(checkout, 'src/lab/nspawn/repository/main.ts'), 'export {};\n');
    program('first');
    tools = join(dir, 'tools');
    mkdirSync(tools);
    for (const name of [
      'sh',
      'dirname',
      'readlink',
      'find',
      'cmp',
      'flock',
      'mkdir',
      'cat',
      'cp',
      'mv',
      'rm',
      'ln',
      'uname',
      'env',
    ]) {
      const found = which(name);
      if (found !== undefined) symlinkSync(found, join(tools, name));
    }
    // A process that waits a second for a lock waits a tenth.
    executable(
      'sleep',
      `#!/bin/sh
if [ "$1" = 1 ]; then set -- 0.1; fi
exec ${which('sleep')} "$@"
`,
    );
    oldNode();
    writeFileSync(join(dir, 'npm-cli.mjs'), NPM);
    executable('npm', `#!/bin/sh\nNPM_ON=old exec '${process.execPath}' '${join(dir, 'npm-cli.mjs')}' "$@"\n`);
  });
  afterEach(() => {
    chmodSync(checkout, 0o755);
    rmSync(dir, { recursive: true, force: true });
  });
}

function which(name: string): string | undefined {
  return ['/usr/local/bin', '/usr/bin', '/bin'].map((path) => join(path, name)).find((path) => existsSync(path));
}

export function executable(name: string, text: string): void {
  rmSync(join(tools, name), { force: true });
  writeFileSync(join(tools, name), text, { mode: 0o755 });
}

/** A Node that says it is too old, and does whatever an old one can. */
export function oldNode(): void {
  executable(
    'node',
    `#!/bin/sh
case $1 in
  -e) exit 1 ;;
  --version) echo v18.20.4 ;;
  -p) echo /usr/share/nodejs ;;
  *) exec '${process.execPath}' "$@" ;;
esac
`,
  );
}

export function program(word: string): void {
  const text = `console.log(JSON.stringify([${JSON.stringify(word)}, process.cwd(), process.execPath, ...process.argv.slice(2)]));
if (process.argv[2] === 'fail') process.exitCode = 7;\n`;
  writeFileSync(join(checkout, 'src/cli/main.ts'), text);
}

interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function kubexm(
  args: readonly string[],
  options: { cwd?: string; file?: string; uid?: number } = {},
): Promise<Result> {
  const { cwd = dir, file = join(checkout, 'kubexm'), uid } = options;
  const env = { PATH: tools, HOME: join(dir, 'home'), XDG_CACHE_HOME: join(dir, 'cache') };
  const child = spawn(file, args, {
    cwd,
    env,
    ...(uid === undefined ? {} : { uid, gid: uid }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data: Buffer) => {
    stdout += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString();
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

export interface NpmCall {
  readonly verb: string;
  readonly flags: readonly string[];
  readonly on: 'old' | 'new';
  readonly whole: boolean;
  readonly places?: string;
  readonly packages: number;
}

export function npmCalls(): readonly NpmCall[] {
  const log = join(dir, 'npm.log');
  if (!existsSync(log)) return [];
  return readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as NpmCall);
}

export function installs(): number {
  return npmCalls().filter((call) => call.whole).length;
}

/** Makes a file newer than everything so far. */
export function touch(name: string): void {
  const later = new Date(Date.now() + 2000);
  utimesSync(join(checkout, name), later, later);
}
