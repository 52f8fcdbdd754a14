import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe } from 'vitest';

const SSHD = '/usr/sbin/sshd';

let found: { readonly problem: string | undefined } | undefined;

/** Why hosts cannot be made on this machine; undefined when they can. */
export function rigProblem(): string | undefined {
  found ??= { problem: findProblem() };
  return found.problem;
}

function findProblem(): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid?.() !== 0) return 'needs root';
  if (!existsSync(SSHD)) return `needs ${SSHD}`;
  const probe =
    'mount --make-rprivate / && mount -t tmpfs none /mnt && mkdir /mnt/u /mnt/w /mnt/m && mount -t overlay none -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/m';
  const { status, stderr } = spawnSync('unshare', ['-m', '-u', '-p', '-f', 'sh', '-c', probe], { encoding: 'utf8' });
  if (status === 0) return undefined;
  return `needs mount, pid and uts namespaces and overlayfs: ${stderr?.trim().split('\n').at(-1) || 'unshare failed'}`;
}

/** A test suite that needs hosts: skipped with the reason in its name where there can be none. */
export function describeHosts(name: string, suite: () => void): void {
  const problem = rigProblem();
  describe.skipIf(problem !== undefined)(problem === undefined ? name : `${name} (${problem})`, suite);
}

/** Why hosts with a systemd of their own cannot be made. */
export function systemdProblem(): string | undefined {
  const problem = rigProblem();
  if (problem !== undefined) return problem;
  if (!existsSync('/lib/systemd/systemd') || !existsSync('/usr/bin/systemd-run')) return 'needs systemd';
  const probe = 'mount --make-rprivate / && mount -t sysfs sysfs /mnt && mount -t cgroup2 none /mnt/fs/cgroup';
  const { status } = spawnSync('unshare', ['-m', 'sh', '-c', probe]);
  return status === 0 ? undefined : 'needs to mount cgroup2';
}

/** Like describeHosts, for hosts whose first process is systemd. */
export function describeSystemdHosts(name: string, suite: () => void): void {
  const problem = systemdProblem();
  describe.skipIf(problem !== undefined)(problem === undefined ? name : `${name} (${problem})`, suite);
}
