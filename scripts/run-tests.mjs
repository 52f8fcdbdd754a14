// What `npm test` starts (scripts/test.mjs): sets up what the tests need, builds, runs them once. Arguments go to vitest.
// The last line is `N passed, N failed, N skipped`, alone.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { confined } from './confine.mjs';
import { installSystemPackages } from './system-packages.mjs';
import { families, TriedFamilies } from './test-families.ts';
import { changedInHome, ownHome, pictureOfHome } from './test-home.mjs';
import { testPasses } from './test-projects.ts';
import { testBusybox } from './test-shells.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const failures = [];
const say = (text) => console.log(`test: ${text}`);

function run([command, ...args], env = {}) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  return status ?? 1;
}

function finish({ passed, failed, skipped }) {
  for (const failure of failures) console.log(`\nfailed: ${failure}`);
  if (failures.length > 0) console.log('');
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}

installSystemPackages(say);
say('building');
if (run([process.execPath, join(root, 'scripts/build.mjs')]) !== 0) {
  say('the build failed');
  finish({ passed: 0, failed: 1, skipped: 0 });
}

const dir = mkdtempSync(join(tmpdir(), 'kubexm-test-'));
// Some tests become another user, who must get there.
const scratch = join(dir, 'tmp');
mkdirSync(scratch);
for (const [path, mode] of [
  [dir, 0o755],
  [scratch, 0o1777],
])
  chmodSync(path, mode);
const home = ownHome(dir);
const busybox = testBusybox(home.env.XDG_CACHE_HOME, say);
const homeBefore = pictureOfHome(home.user);
const counts = { passed: 0, failed: 0, skipped: 0 };
// A person who names files or projects works on them, and tries all cases with KUBEXM_TEST_THOROUGH=1.
const thorough = (process.env.KUBEXM_TEST_THOROUGH ?? '') !== '';
const all = families(root);
const tried = new TriedFamilies(home.env.XDG_CACHE_HOME);
const inFull = process.argv.length > 2 ? [] : tried.changed(all);
if (inFull.length > 0) say(`every case of what covers changed files: ${inFull.join(' ')}`);
for (const { outside, args } of testPasses(process.argv.slice(2))) pass(outside, args);
rmSync(dir, { recursive: true, force: true });
// As root they cannot write there, and others may have.
const changed = process.getuid?.() === 0 ? [] : changedInHome(home.user, homeBefore);
if (changed.length > 0) {
  say(`the tests changed the home of the user: ${changed.join(', ')}`);
  counts.failed++;
}
if (counts.passed + counts.failed + counts.skipped === 0) {
  say('there were no tests');
  counts.failed = 1;
}
finish(counts);

function pass(outside, args) {
  const options = { network: outside, home: home.user, writable: home.caches };
  const summary = join(dir, `summary-${outside}.json`);
  const vitest = [process.execPath, join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--passWithNoTests', ...args];
  const command = confined(vitest, root, scratch, say, options);
  if (command === undefined) {
    counts.failed++;
    return;
  }
  const env = {
    ...home.env,
    KUBEXM_TEST_SUMMARY: summary,
    KUBEXM_TEST_BUSYBOX: busybox,
    KUBEXM_TEST_IN_FULL: inFull.join(' '),
  };
  const status = run(command, env);
  const found = existsSync(summary) ? JSON.parse(readFileSync(summary, 'utf8')) : { passed: 0, failed: 0, skipped: 0 };
  // Whatever else vitest is not content with is a failure too.
  if (status !== 0 && found.failed === 0) found.failed = 1;
  failures.push(...(found.failures ?? []));
  for (const name of Object.keys(counts)) counts[name] += found[name];
  const wholly = thorough || tried.isNew ? (found.files ?? []) : inFull.filter((file) => found.files?.includes(file));
  if (thorough || process.argv.length === 2) tried.record(all, wholly);
}
