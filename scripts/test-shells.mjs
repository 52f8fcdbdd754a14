// The busybox that tests use as a shell of hosts. Which one a machine has is chance: that of Debian's busybox-static runs its own
// applets instead of the programs in PATH, which no shell of a host may do. So it comes from the package `busybox` of the machine's
// release, through apt, and is kept in the cache; nothing is installed.
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';

/** Where it is; undefined, and says why, where there is none. */
export function testBusybox(cache, say) {
  const file = join(cache, 'kubexm', 'test-tools', `busybox-${release()}`);
  if (isExecutable(file)) return file;
  const why = process.env.KUBEXM_TEST_INSTALL === '0' ? 'KUBEXM_TEST_INSTALL=0 is set' : download(file);
  if (why === undefined) return file;
  const own = (process.env.PATH ?? '').split(':').map((dir) => join(dir, 'busybox'));
  const found = own.find((one) => isExecutable(one) && runsPrograms(one));
  say(`cannot get the package busybox (${why}): ${found ?? 'tests in busybox are skipped'}`);
  return found;
}

/** Whether it runs the programs in PATH, and not its own applets. */
export function runsPrograms(busybox) {
  return spawnSync(busybox, ['ash', '-c', 'PATH=/nowhere command -v mv'], { stdio: 'ignore' }).status !== 0;
}

function download(file) {
  const dir = join(file, '..');
  mkdirSync(dir, { recursive: true });
  const work = mkdtempSync(join(dir, '.busybox-'));
  try {
    const got = spawnSync('apt-get', ['-qq', '-o', 'APT::Sandbox::User=root', 'download', 'busybox'], {
      cwd: work,
      encoding: 'utf8',
    });
    const name = readdirSync(work).find((one) => one.endsWith('.deb'));
    if (name === undefined) return got.stderr?.trim().split('\n').at(-1) || 'there is no apt-get';
    const unpacked = spawnSync('dpkg-deb', ['-x', name, '.'], { cwd: work, encoding: 'utf8' });
    const made = ['bin/busybox', 'usr/bin/busybox'].map((one) => join(work, one)).find(isExecutable);
    if (made === undefined) return unpacked.stderr?.trim() || 'it has no busybox';
    if (!runsPrograms(made)) return 'it runs its own applets';
    copyFileSync(made, join(work, 'busybox'));
    renameSync(join(work, 'busybox'), file);
    return undefined;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function release() {
  try {
    const text = readFileSync('/etc/os-release', 'utf8');
    const field = (name) => new RegExp(`^${name}="?([\\w.-]+)`, 'm').exec(text)?.[1] ?? 'unknown';
    return `${field('ID')}-${field('VERSION_ID')}-${process.arch}`;
  } catch {
    return `unknown-${process.arch}`;
  }
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
