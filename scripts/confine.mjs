// The tests run steps that remove and replace files, as root, on this very machine. A defect in one of them must not cost the
// machine its /etc: they run in a mount namespace of their own, in which the system's directories cannot be written.
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';

// Not /var and /run: kubexm's own places are there.
const SYSTEM = [
  '/bin',
  '/boot',
  '/etc',
  '/home',
  '/lib',
  '/lib64',
  '/media',
  '/mnt',
  '/opt',
  '/sbin',
  '/usr',
  '/var/lib/dpkg',
  '/var/lib/apt',
];

const SCRIPT = `
for d in $KUBEXM_READ_ONLY; do mount --bind "$d" "$d" || exit 125; done
for d in $KUBEXM_READ_ONLY; do mount -o remount,bind,ro "$d" || exit 125; done
mount -t tmpfs -o mode=1777 kubexm-test "$KUBEXM_TEST_TMPDIR" 2>/dev/null || true
exec "$@"`;

/**
 * The command, wrapped where this is possible: root on Linux with unshare(1). Says why where it is not. Its scratch directory
 * is in memory then: the tests make thousands of files durable, which a disk takes its time for, and none of them has to last.
 */
export function confined(command, root, scratch, say) {
  if (process.getuid?.() !== 0) return command;
  // What the checkout or the temporary directory lies in must stay writable.
  const keep = [realpathSync(root), realpathSync(process.env.TMPDIR ?? '/tmp'), process.env.HOME ?? '/root'];
  const present = SYSTEM.filter((dir) => existsSync(dir) && realpathSync(dir) === dir);
  const readOnly = present.filter((dir) => !keep.some((path) => path === dir || path.startsWith(`${dir}/`)));
  const env = `KUBEXM_READ_ONLY=${readOnly.join(' ')}`;
  const wrapped = [
    'unshare',
    '--mount',
    '--propagation',
    'private',
    'env',
    env,
    `KUBEXM_TEST_TMPDIR=${scratch}`,
    'sh',
    '-c',
    SCRIPT,
    'confine',
    ...command,
  ];
  const probe = spawnSync(wrapped[0], [...wrapped.slice(1, -command.length), 'true'], { stdio: 'ignore' });
  if (probe.status === 0) {
    say(`the tests cannot write to ${readOnly.join(' ')}`);
    return wrapped;
  }
  say('the tests are not confined: this kernel gives no mount namespace');
  return command;
}
