// `npm test`: installs what is missing, then runs the tests (run-tests.mjs) with a Node that is new enough.
// Any Node must understand this: a system's own may be old, and what its npm installed incomplete.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const scripts = fileURLToPath(new URL('.', import.meta.url));
const setup = spawnSync('sh', [join(scripts, 'setup.sh')], { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
const node = setup.status === 0 ? setup.stdout.trim() : undefined;
if (node) {
  const args = [join(scripts, 'run-tests.mjs')].concat(process.argv.slice(2));
  const { status } = spawnSync(node, args, { stdio: 'inherit' });
  process.exitCode = status === null ? 1 : status;
} else {
  console.log('test: the set-up failed, see above');
  console.log('0 passed, 1 failed, 0 skipped');
  process.exitCode = 1;
}
