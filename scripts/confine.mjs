// The tests run steps that remove and replace files, links, routes, rules and processes, as root, on this very machine. A defect in
// one of them must not cost the machine its /etc, nor its network: they run in namespaces of their own.
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';

// Not /var: kubexm's own places are there.
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
  '/root',
  '/sbin',
  '/usr',
  '/var/lib/dpkg',
  '/var/lib/apt',
];

// What must stay writable gets a mount of its own first: a read-only mount around it then leaves it alone.
const FILES = `
IFS='
'
for d in $KUBEXM_WRITABLE; do mount --bind "$d" "$d" || exit 125; done
for d in $KUBEXM_READ_ONLY; do mount --rbind "$d" "$d" || exit 125; done
for d in $KUBEXM_READ_ONLY; do mount -o remount,bind,ro "$d" || exit 125; done
mount -t tmpfs -o mode=1777 kubexm-test "$KUBEXM_TEST_TMPDIR" 2>/dev/null || true
unset IFS
`;

// /sys shows the links of the namespace it was mounted in. In /run are the sockets of this machine's systemd and D-Bus.
const NETWORK = `
ip link set lo up || exit 125
old=$KUBEXM_TEST_TMPDIR/sys
mkdir "$old" && mount --rbind /sys "$old" && mount -t sysfs sysfs /sys || exit 125
for d in "$old"/fs/* "$old"/kernel/*; do
  if mountpoint -q "$d"; then mount --rbind "$d" "/sys/\${d#"$old/"}" || exit 125; fi
done
umount -R -l "$old" && rmdir "$old" || exit 125
mount -t proc proc /proc && mount -t tmpfs -o mode=0755 kubexm-test /run || exit 125
mkdir -m 1777 /run/lock
`;

// Not exec: the first process of a namespace has to collect what others leave behind, and a shell does.
const WAIT = '"$@"; exit $?';

// Planted where the tests would find it if a namespace of theirs was missing; the names are those that their steps remove.
const PLANT = `
ip link add cni0 type bridge 2>/dev/null || ip link add cni0 type dummy || exit 125
ip link set cni0 up && ip route add 10.66.1.0/24 dev cni0 || exit 125
"$@"
code=$?
case "$(ip -o link show dev cni0 2>&1) $(ip route show 10.66.1.0/24 2>&1)" in
  *': cni0: '*'dev cni0'*) exit $code ;;
esac
echo 'test: the tests changed a link or route outside their namespaces: cni0 is gone' >&2
exit 99`;

/** The command with a link `cni0` and a route beside it, in a network of their own: it fails if they are gone when it ends. */
export function withPlantedLink(command) {
  return ['unshare', '--net', 'sh', '-c', PLANT, 'plant', ...command];
}

/**
 * The command, wrapped where this is possible: root on Linux with unshare(1). Says why where it is not. Its scratch directory
 * is in memory then: the tests make thousands of files durable, which a disk takes its time for, and none of them has to last.
 * With `network` it keeps the machine's network and processes, for what has to reach other machines. Undefined: this is root
 * without namespaces, so the command must not run.
 */
export function confined(
  command,
  root,
  scratch,
  say,
  { network = false, home = process.env.HOME, writable = [] } = {},
) {
  if (process.getuid?.() !== 0) return command;
  const places = [root, process.env.TMPDIR ?? '/tmp', ...writable].filter((path) => existsSync(path));
  const keep = places.map((path) => realpathSync(path));
  const readOnly = readOnlyDirs(home, keep);
  const wrapped = wrap(command, { keep, readOnly, scratch, network });
  const probe = spawnSync(wrapped[0], [...wrapped.slice(1, -command.length), 'true'], { encoding: 'utf8' });
  if (probe.status === 0) {
    say(`the tests cannot write to ${readOnly.join(' ')}${network ? '' : '; network and processes are their own'}`);
    return wrapped;
  }
  say(`this kernel gives the tests no namespaces of their own: ${probe.stderr.trim() || `exit code ${probe.status}`}`);
  if (process.env.KUBEXM_TEST_UNCONFINED === '1') return command;
  say('as root they could change links, routes, processes and files of this machine. Run them as another user, or set');
  say('KUBEXM_TEST_UNCONFINED=1 on a machine that you can throw away.');
  return undefined;
}

function wrap(command, { keep, readOnly, scratch, network }) {
  const env = [
    'env',
    `KUBEXM_READ_ONLY=${readOnly.join('\n')}`,
    // Only what is below a directory that becomes read-only: elsewhere all stays as it is.
    `KUBEXM_WRITABLE=${keep.filter((path) => readOnly.some((dir) => path.startsWith(`${dir}/`))).join('\n')}`,
    `KUBEXM_TEST_TMPDIR=${scratch}`,
    'KUBEXM_TEST_CONFINED=1',
  ];
  const alone = ['unshare', '--mount', '--propagation', 'private'];
  if (network) return [...alone, ...env, 'sh', '-c', `${FILES}exec "$@"`, 'confine', ...command];
  const own = [...alone, '--net', '--pid', '--fork', '--kill-child'];
  return withPlantedLink([...own, ...env, 'sh', '-c', `${FILES}${NETWORK}${WAIT}`, 'confine', ...command]);
}

/** Those of the system and the user's home. One mount covers what is below it. */
function readOnlyDirs(home, keep) {
  const all = [...new Set([...SYSTEM, ...(home ? [home] : [])])];
  const there = all.filter((dir) => existsSync(dir) && realpathSync(dir) === dir && dir !== '/' && !keep.includes(dir));
  return there.filter((dir) => !there.some((other) => dir.startsWith(`${other}/`)));
}
