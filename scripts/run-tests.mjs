// What `npm test` starts (scripts/test.mjs): sets up what the tests need, builds, runs them once. Arguments go to vitest.
// The last line is `N passed, N failed, N skipped`, alone.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { confined } from './confine.mjs';
import { installSystemPackages } from './system-packages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const say = (text) => console.log(`test: ${text}`);

function run(script, args, env = {}, wrap = (command) => command) {
  const [command, ...rest] = wrap([process.execPath, join(root, script), ...args]);
  const { status } = spawnSync(command, rest, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status ?? 1;
}

function finish({ passed, failed, skipped }) {
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}

installSystemPackages(say);
say('building');
if (run('scripts/build.mjs', []) !== 0) {
  say('the build failed');
  finish({ passed: 0, failed: 1, skipped: 0 });
}

const dir = mkdtempSync(join(tmpdir(), 'kubexm-test-'));
const summary = join(dir, 'summary.json');
// Some tests become another user, who must get there.
const scratch = join(dir, 'tmp');
mkdirSync(scratch);
for (const [path, mode] of [
  [dir, 0o755],
  [scratch, 0o1777],
])
  chmodSync(path, mode);
const status = run(
  'node_modules/vitest/vitest.mjs',
  ['run', ...process.argv.slice(2)],
  { KUBEXM_TEST_SUMMARY: summary },
  (command) => confined(command, root, scratch, say),
);
const counts = existsSync(summary) ? JSON.parse(readFileSync(summary, 'utf8')) : { passed: 0, failed: 0, skipped: 0 };
rmSync(dir, { recursive: true, force: true });
// Whatever else vitest is not content with is a failure too, and so is a run without tests.
if (status !== 0 && counts.failed === 0) counts.failed = 1;
if (counts.passed + counts.failed + counts.skipped === 0) say('there were no tests');
finish(counts);
