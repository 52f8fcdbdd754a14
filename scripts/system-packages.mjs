// The programs that tests use, and the Debian packages that have them.
import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const programs = {
  sshd: 'openssh-server',
  'ssh-agent': 'openssh-client',
  'ssh-keygen': 'openssh-client',
  scp: 'openssh-client',
  sudo: 'sudo',
  busybox: 'busybox-static',
  bash: 'bash',
  setsid: 'util-linux',
  flock: 'util-linux',
  ps: 'procps',
  ip: 'iproute2',
  tar: 'tar',
  xz: 'xz-utils',
  zstd: 'zstd',
  unzip: 'unzip',
  zip: 'zip',
  curl: 'curl',
  mmdebstrap: 'mmdebstrap',
  'systemd-nspawn': 'systemd-container',
  depmod: 'kmod',
  wget: 'wget',
  nc: 'netcat-openbsd',
  openssl: 'openssl',
  python3: 'python3-minimal',
  'dpkg-deb': 'dpkg',
  shellcheck: 'shellcheck',
  shfmt: 'shfmt',
  // For programs that are built from source: runc and flannel are part C.
  gcc: 'gcc',
  'pkg-config': 'pkg-config',
  '/usr/include/stdio.h': 'libc6-dev',
  '/usr/include/seccomp.h': 'libseccomp-dev',
};

const POLICY = '/usr/sbin/policy-rc.d';

/** Installs what is missing, where this may be done; says what it does, and why it does not. */
export function installSystemPackages(say) {
  say(`programs the tests use: ${Object.keys(programs).join(', ')}`);
  if (installPrograms(Object.keys(programs), say)) return say('all of them are here');
  say('the tests that need them are skipped');
}

/** Installs those of these programs that are missing, where this may be done. Returns whether all are here now. */
export function installPrograms(names, say) {
  const missing = names.filter((program) => !found(program));
  if (missing.length === 0) return true;
  const packages = [...new Set(missing.map((program) => programs[program]))];
  const why = reasonAgainst();
  if (why) {
    say(`not here: ${missing.join(', ')}. Not installed, because ${why}.`);
    return false;
  }
  say(`installing the packages ${packages.join(', ')}`);
  // A test run must not open a login port: services that come with packages stay off.
  const guard = !existsSync(POLICY);
  try {
    if (guard) {
      writeFileSync(POLICY, '#!/bin/sh\nexit 101\n');
      chmodSync(POLICY, 0o755);
    }
    const worked = apt('install', ...packages) || (apt('update') && apt('install', ...packages));
    say(worked ? 'installed' : 'apt-get failed, see above');
    return worked;
  } finally {
    if (guard) rmSync(POLICY, { force: true });
  }
}

function reasonAgainst() {
  if (process.env.KUBEXM_TEST_INSTALL === '0') return 'KUBEXM_TEST_INSTALL=0 is set';
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  if (!/^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(release) || !found('apt-get')) return 'this is not Debian or Ubuntu';
  return process.getuid?.() === 0 ? undefined : 'this is not root';
}

function found(program) {
  if (program.startsWith('/')) return existsSync(program);
  return [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'].some((dir) => {
    try {
      accessSync(join(dir, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function apt(command, ...names) {
  const flags = command === 'install' ? ['--yes', '--no-install-recommends'] : [];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', ['-qq', command, ...flags, ...names], { stdio: ['ignore', 2, 2], env }).status === 0;
}
