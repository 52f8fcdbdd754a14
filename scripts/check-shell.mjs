// Checks the shell scripts of the repository: shellcheck looks for defects, shfmt for layout. Installs both if they are missing.
// `--write` formats the scripts. Scripts beside sources are read by a module there, and say for which shell they are written.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPrograms } from './system-packages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const DIRECTIVE = '# shellcheck shell=dash\n';
const LAYOUT = ['-i', '2', '-ci'];

const text = (name) => readFileSync(join(root, name), 'utf8');
const all = scripts();
const sources = all.filter((name) => name.startsWith('src/'));
const problems = [];

if (all.length === 0) problems.push('no script was found: that cannot be right');
if (!installPrograms(['shellcheck', 'shfmt'], (line) => console.log(`shell: ${line}`))) {
  problems.push('shellcheck and shfmt are needed: install the packages shellcheck and shfmt');
} else if (all.length > 0) {
  if (process.argv.includes('--write')) checked('shfmt', [...LAYOUT, '-w', ...all]);
  if (!checked('shfmt', [...LAYOUT, '-d', ...all]))
    problems.push('the layout differs: node scripts/check-shell.mjs --write');
  if (!checked('shellcheck', all)) problems.push('shellcheck found defects');
}
for (const name of sources) {
  if (!text(name).startsWith(DIRECTIVE)) problems.push(`${name}: the first line is not ${DIRECTIVE.trim()}`);
  problems.push(...leaks(name));
  if (!isRead(name)) problems.push(`${name}: no module beside it reads it`);
}
for (const problem of problems) console.error(problem);
console.log(`shell: ${all.length} scripts, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

function checked(program, args) {
  return spawnSync(program, args, { cwd: root, stdio: 'inherit' }).status === 0;
}

/** Files whose name or first line says that they are shell. */
function scripts() {
  const git = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    maxBuffer: 1 << 28,
  });
  const names =
    git.status === 0
      ? git.stdout.toString().split('\0')
      : readdirSync(root, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
          .filter((name) => !/^(node_modules|dist|coverage|\.git|\.kubexm)\//.test(name));
  return [...new Set(names)].filter((name) => isFile(name) && isShell(name)).sort();
}

function isFile(name) {
  return statSync(join(root, name), { throwIfNoEntry: false })?.isFile() ?? false;
}

function isShell(name) {
  if (name.endsWith('.sh')) return true;
  return !basename(name).includes('.') && /^#!.*\b(ba|da)?sh\n/.test(text(name));
}

/** Variables of functions that are neither local nor, by their name, results: `kx…`, or the environment's. */
function leaks(name) {
  const found = [];
  let own;
  let document;
  text(name)
    .split('\n')
    .forEach((line, i) => {
      if (document !== undefined) {
        if (line === document) document = undefined;
        return;
      }
      if (/^\s*#/.test(line)) return;
      if (/^\w+\(\) [{(]/.test(line)) own = new Set();
      for (const [, words] of line.matchAll(/\blocal ((?:\w+=(?:'[^']*'|"(?:[^"\\]|\\.)*"|\S*)\s*)+)/g))
        for (const [, one] of words.matchAll(/(\w+)=/g)) own?.add(one);
      const set = [
        ...line.matchAll(/^\s*(?:[{(] )?(\w+)=/g),
        ...line.matchAll(/\bfor (\w+)(?= in |;)/g),
        ...line.matchAll(/\bread -r ((?:[a-z]\w* ?)+)/g),
      ].flatMap(([, words]) => words.trim().split(' '));
      for (const one of set)
        if (own !== undefined && /^(?!kx)[a-z]/.test(one) && !own.has(one))
          found.push(`${name}:${i + 1}: ${one} is neither local nor a result (kx…)`);
      document = /<<'?(\w+)/.exec(line)?.[1];
      if (/^[})]/.test(line)) own = undefined;
    });
  return found;
}

function isRead(name) {
  const folder = dirname(name);
  const file = name.slice(folder.length + 1);
  return readdirSync(join(root, folder)).some(
    (one) => one.endsWith('.ts') && text(join(folder, one)).includes(`new URL('./${file}', import.meta.url)`),
  );
}
