// Finds what must not be in any file: paths and package hosts of the machine it was written on, notes to self, casts that hide
// types, files that have grown too long. Checks the texts of errors too (check-errors.mjs).
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const LINES_MAX = 350;

// Everybody may name hosts of these domains: they are no secret of a machine that is set up to use them.
const publicDomains = [
  'npmjs.org',
  'yarnpkg.com',
  'npmmirror.com',
  'go.dev',
  'golang.org',
  'goproxy.cn',
  'goproxy.io',
  'pypi.org',
  'pythonhosted.org',
  'debian.org',
  'ubuntu.com',
  'github.com',
  'localhost',
  '127.0.0.1',
];
const isPublic = (host) => publicDomains.some((domain) => host === domain || host.endsWith(`.${domain}`));
const commonDirectories = new Set([
  '/',
  '/home',
  '/root',
  '/tmp',
  '/src',
  '/usr',
  '/usr/src',
  '/opt',
  '/srv',
  '/var',
  '/mnt',
  '/app',
]);

const privateTexts = [...localPaths(), ...packageHosts()];
const notes = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'].join('|')})\\b`);
const casts = new RegExp(`\\bas ${'any'}\\b|<${'any'}>|@ts-(${'ignore'}|${'nocheck'})`);

const problems = [];
const names = files();
for (const name of names) {
  const content = readFileSync(join(root, name));
  if (content.includes(0)) continue;
  const lines = content.toString('utf8').split('\n');
  const isSource = /\.(ts|mjs|cjs|js)$/.test(name);
  lines.forEach((line, i) => {
    const at = `${name}:${i + 1}`;
    for (const [text, what] of privateTexts) if (line.includes(text)) problems.push(`${at}: ${what}: ${text}`);
    // A lock file is full of digests, in which anything may stand.
    if (name === 'package-lock.json') return;
    const note = notes.exec(line)?.[0];
    if (note) problems.push(`${at}: a note to self (${note}): do it, or open an issue`);
    const cast = isSource ? casts.exec(line)?.[0] : undefined;
    if (cast) problems.push(`${at}: ${cast} hides types`);
  });
  const length = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  if (name.startsWith('src/') && name.endsWith('.ts') && length > LINES_MAX) {
    problems.push(`${name}: ${length} lines, more than ${LINES_MAX}: more than one idea`);
  }
}
if (names.length < 20) problems.push(`only ${names.length} files were seen: that cannot be all`);
if (existsSync(join(root, 'data/errors'))) {
  const { errorProblems } = await import('./check-errors.mjs');
  problems.push(...(await errorProblems()));
}
for (const problem of problems) console.error(problem);
console.log(`text: ${names.length} files, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** What is in the repository or about to be: ignored files are nobody's business. */
function files() {
  const git = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    maxBuffer: 1 << 28,
  });
  if (git.status === 0) {
    return [...new Set(git.stdout.toString().split('\0').filter(Boolean))].filter((name) =>
      existsSync(join(root, name)),
    );
  }
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((name) => !/^(node_modules|dist|coverage|\.git|\.kubexm)\//.test(name));
}

function localPaths() {
  const paths = [root, dirname(root), homedir()].filter((path) => !commonDirectories.has(path));
  return [...new Set(paths)].map((path) => [`${path}/`, 'a path of this machine']);
}

/** Hosts from the configuration of this machine's package managers. */
function packageHosts() {
  const home = homedir();
  const configs = [
    join(root, '.npmrc'),
    process.env.NPM_CONFIG_USERCONFIG ?? join(home, '.npmrc'),
    '/etc/npmrc',
    '/usr/etc/npmrc',
    '/usr/local/etc/npmrc',
    join(home, '.config/pip/pip.conf'),
    join(home, '.pip/pip.conf'),
    '/etc/pip.conf',
    join(home, '.config/go/env'),
    '/usr/local/go/go.env',
    '/etc/apt/sources.list',
    ...listed('/etc/apt/sources.list.d'),
    ...listed('/etc/apt/apt.conf.d'),
  ];
  const variables = Object.entries(process.env).filter(([name]) =>
    /^(npm_config_(.*registry|.*proxy)|GOPROXY|GOSUMDB|PIP_(EXTRA_)?INDEX_URL|UV_INDEX.*|https?_proxy)$/i.test(name),
  );
  const text = [...configs.map(read), ...variables.map(([, value]) => value ?? '')].join('\n');
  const hosts = [...text.matchAll(/\bhttps?:\/\/(?:[^\s/@"']*@)?([A-Za-z0-9.-]+)/g)].map((match) =>
    match[1].toLowerCase(),
  );
  return [...new Set(hosts)]
    .filter((host) => host.includes('.') && !isPublic(host))
    .map((host) => [host, "a package host of this machine's configuration"]);
}

function listed(directory) {
  return existsSync(directory) ? readdirSync(directory).map((name) => join(directory, name)) : [];
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
