import { createHash } from 'node:crypto';
import type { LabImage } from '../types.ts';
import { INIT_SCRIPT, LAB_LIB } from './init-script.ts';
import { type AptSource, deb822 } from './sources.ts';

/** What Debian calls the releases. */
export const CODENAMES: Readonly<Record<LabImage, string>> = { 'debian-12': 'bookworm', 'debian-13': 'trixie' };

/**
 * A bare machine: what a small installation has, so that somebody can log in and look around. Nothing that preparing a node
 * installs, or that would prove nothing.
 */
const PACKAGES = [
  'adduser',
  'ca-certificates',
  'dbus',
  'hostname',
  'iproute2',
  'iputils-ping',
  'kmod',
  'libpam-systemd',
  'mount',
  'netbase',
  'openssh-server',
  'procps',
  'sudo',
  'systemd',
  'systemd-sysv',
  'systemd-timesyncd',
  'tzdata',
  'util-linux',
] as const;

/** What would write by itself now and then, or wants a terminal or devices that are the box's. */
const MASKED = [
  'apt-daily.timer',
  'apt-daily-upgrade.timer',
  'dpkg-db-backup.timer',
  'e2scrub_all.timer',
  'e2scrub_reap.service',
  'fstrim.timer',
  'console-getty.service',
  'getty@tty1.service',
  'proc-sys-fs-binfmt_misc.automount',
  'dev-mqueue.mount',
  'sys-kernel-debug.mount',
  'sys-kernel-tracing.mount',
  'systemd-journal-flush.service',
  'systemd-networkd-wait-online.service',
  'systemd-udevd.service',
  'systemd-udevd-control.socket',
  'systemd-udevd-kernel.socket',
  'systemd-udev-trigger.service',
];

const JOURNALD = '[Journal]\nStorage=volatile\nRuntimeMaxUse=16M\nReadKMsg=no\n';
/** The clock is the box's: chronyd runs, and looks at it only. */
const CHRONY = `[Unit]\nConditionCapability=\n[Service]\nEnvironmentFile=${LAB_LIB}/chrony\n`;

/** Descriptions of packages in human languages are as much to fetch and to read as all the rest, and nobody looks at them there. */
const APT = 'Acquire::Languages "none";\n';

/** Ends the image; `$1` is its root. Host keys, names and addresses are each machine's own. */
const FINISH_SCRIPT = String.raw`set -eu
root=$1
case $root in /?*) ;; *) exit 1 ;; esac
rm -f "$root"/etc/ssh/ssh_host_* "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d/* \
  "$root"/etc/apt/apt.conf.d/99mmdebstrap "$root"/etc/hostname "$root"/etc/resolv.conf "$root"/var/lib/dbus/machine-id
: >"$root/etc/machine-id"
mkdir -p "$root${LAB_LIB}/boot" "$root/usr/lib/modules" "$root/usr/lib/systemd/journald.conf.d" \
  "$root/usr/lib/systemd/system/chrony.service.d" "$root/var/lib/containerd" "$root/var/lib/kubelet" "$root/var/lib/etcd" \
  "$root/var/log/pods"
cat >"$root${LAB_LIB}/init" <<'KUBEXM_LAB_FILE'
${INIT_SCRIPT}KUBEXM_LAB_FILE
chmod 0755 "$root${LAB_LIB}/init"
cat >"$root/usr/lib/systemd/journald.conf.d/kubexm-lab.conf" <<'KUBEXM_LAB_FILE'
${JOURNALD}KUBEXM_LAB_FILE
cat >"$root/usr/lib/systemd/system/chrony.service.d/kubexm-lab.conf" <<'KUBEXM_LAB_FILE'
${CHRONY}KUBEXM_LAB_FILE
cat >"$root/etc/apt/apt.conf.d/90kubexm-lab" <<'KUBEXM_LAB_FILE'
${APT}KUBEXM_LAB_FILE
echo 'DAEMON_OPTS="-x"' >"$root${LAB_LIB}/chrony"
for unit in ${MASKED.join(' ')}; do ln -sf /dev/null "$root/etc/systemd/system/$unit"; done
ln -sf /lib/systemd/system/multi-user.target "$root/etc/systemd/system/default.target"
`;

/** How an image is made. */
export interface Recipe {
  readonly image: LabImage;
  /** Changes with everything that goes into the image. */
  readonly digest: string;
  readonly args: readonly string[];
  /** What mmdebstrap reads from its standard input. */
  readonly input: string;
}

/** The call of mmdebstrap that fills an empty directory. */
export function recipe(image: LabImage, sources: readonly AptSource[]): Recipe {
  const input = sources.map((source) => deb822(source)).join('\n');
  const args = [
    '--mode=root',
    '--variant=minbase',
    `--include=${PACKAGES.join(',')}`,
    `--customize-hook=${FINISH_SCRIPT}`,
  ];
  const digest = createHash('sha256')
    .update(JSON.stringify([image, args, input, process.arch]))
    .digest('hex')
    .slice(0, 16);
  return { image, digest, args, input };
}
