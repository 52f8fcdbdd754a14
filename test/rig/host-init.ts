import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a host's first process is: a shell that waits, or a real systemd. */
export type InitKind = 'shell' | 'systemd';

/** A host's namespaces. */
export interface HostInit {
  /** Of the first process inside, as seen from outside. */
  readonly pid: number;
  /** Ends everything inside. */
  close(): Promise<void>;
}

/** Ends the host with its own stdin: whatever happens to the test, no process stays behind. */
const GUARD = `
unshare -m -u -p -f --kill-child sh -c "$@" </dev/null &
child=$!
echo "pid $child"
cat >/dev/null
kill -9 $child
wait
`;

/**
 * Makes the host and becomes its first process. Its root is an overlay over this machine's, so that it may change
 * everything and changes nothing.
 */
const MAKE_HOST = String.raw`
set -e
name=$1 box=$2 kind=$3 root=$2/root
hostname "$name"
mount -t tmpfs -o mode=0700 none "$box"
mkdir "$box/upper" "$box/work" "$root"
# One program for them all. What this machine has in /tmp, /run and root's home is not the host's: tests look for what it left.
{
  echo "none $root overlay lowerdir=/,upperdir=$box/upper,workdir=$box/work"
  echo "proc $root/proc proc"
  [ "$kind" = systemd ] || echo "/sys $root/sys none rbind"
  echo "/dev $root/dev none rbind"
  echo "devpts $root/dev/pts devpts newinstance,ptmxmode=0666,mode=0620"
  echo "$root/dev/pts/ptmx $root/dev/ptmx none bind"
  echo "none $root/run tmpfs mode=0755"
  echo "none $root/tmp tmpfs mode=1777"
  echo "none $root/root tmpfs mode=0700"
} >"$box/fstab"
mount -a -T "$box/fstab"
if [ "$kind" = systemd ]; then
  # A group of its own, which its cgroup namespace then takes for the whole.
  mount -t sysfs sysfs "$root/sys"
  mount -t cgroup2 none "$root/sys/fs/cgroup"
  mkdir "$root/sys/fs/cgroup/$4"
  echo $$ >"$root/sys/fs/cgroup/$4/cgroup.procs"
  umount "$root/sys/fs/cgroup"
  # Nothing is started by itself: the kernel, its settings and devices are shared with the machine below.
  : >"$root/etc/fstab"
  rm -rf "$root"/lib/systemd/system/*.wants "$root"/usr/lib/systemd/system/*.wants "$root"/etc/systemd/system/*.wants
fi
mkdir -p "$root/run/sshd" "$root/run/lock" "$root/srv/kx-test"
printf '%s\n' "$name" >"$root/etc/hostname"
printf '127.0.0.1 localhost %s\n::1 localhost\n' "$name" >"$root/etc/hosts"
rm -f "$root/etc/nologin"
if [ "$kind" = systemd ]; then
  echo up
  exec env -i container=kx PATH=/usr/sbin:/usr/bin:/sbin:/bin unshare -C chroot "$root" /bin/sh -c '
    mount -t cgroup2 none /sys/fs/cgroup
    exec /lib/systemd/systemd --system --unit=basic.target --log-target=null --show-status=0
  ' >/dev/null 2>&1
fi
exec chroot "$root" /bin/sh -c 'cd /; echo up; exec >/dev/null 2>&1; while :; do sleep 1000 & wait; done'
`;

/** Starts a host's namespaces. */
export async function startInit(name: string, box: string, kind: InitKind): Promise<HostInit> {
  const group = `kx-rig-${process.pid}-${Date.now()}-${name}`;
  const guard = spawn('sh', ['-c', GUARD, 'guard', MAKE_HOST, 'init', name, box, kind, group], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const close = async (): Promise<void> => {
    await end(guard);
    if (kind === 'systemd') await removeGroup(group);
  };
  try {
    const unshare = await started(guard, name);
    // `unshare -f` waits outside; its only child is the first process inside.
    const children = await readFile(`/proc/${unshare}/task/${unshare}/children`, 'utf8');
    const pid = Number(children.trim().split(' ')[0]);
    if (kind === 'systemd') await booted(pid);
    return { pid, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function started(guard: ChildProcess, name: string): Promise<number> {
  let said = '';
  return new Promise((resolve, reject) => {
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      const pid = said.match(/^pid (\d+)$/m)?.[1];
      if (pid !== undefined && /^up$/m.test(said)) resolve(Number(pid));
    };
    guard.stdout?.on('data', listen);
    guard.stderr?.on('data', listen);
    guard.once('exit', () => reject(new Error(`host ${name} did not start: ${said}`)));
    setTimeout(() => reject(new Error(`host ${name} did not start in time: ${said}`)), 20_000).unref();
  });
}

/** systemd has come far enough to run units. */
async function booted(pid: number): Promise<void> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(50)) {
    try {
      if (readdirSync(`/proc/${pid}/root/run/systemd`).includes('private')) return;
    } catch {
      // Not yet.
    }
  }
  throw new Error('systemd did not start in time');
}

async function end(guard: ChildProcess): Promise<void> {
  if (guard.exitCode !== null || guard.signalCode !== null) return;
  const gone = new Promise((resolve) => guard.once('exit', resolve));
  guard.stdin?.end();
  await gone;
}

/** Empty groups are directories that only have to be removed from the bottom up, once their processes are gone. */
async function removeGroup(group: string): Promise<void> {
  const mounts = readFileSync('/proc/mounts', 'utf8');
  const top = mounts.match(/^\S+ (\S+) cgroup2 /m)?.[1];
  if (top === undefined) return;
  const remove = (dir: string): void => {
    for (const entry of readdirSync(dir, { withFileTypes: true }))
      if (entry.isDirectory()) remove(join(dir, entry.name));
    rmdirSync(dir);
  };
  for (let tries = 0; tries < 40; tries++) {
    try {
      return remove(join(top, group));
    } catch {
      await sleep(50);
    }
  }
}
