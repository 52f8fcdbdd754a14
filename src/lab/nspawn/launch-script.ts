import { quote } from '../../model/script.ts';
import { LAB_LIB } from './init-script.ts';
import { BRIDGE } from './namespace.ts';
import type { MachineNetwork } from './record.ts';
import { REFUSED_CALLS } from './refused-calls.ts';

/** What nothing in a machine may do: the clock and the kernel's modules are the whole box's. */
export const DROPPED_CAPABILITIES = ['CAP_SYS_TIME', 'CAP_SYS_MODULE'] as const;

/** What a machine's launcher has to know. */
export interface LaunchOptions {
  readonly machine: string;
  /** The machine's directory on the box. */
  readonly dir: string;
  /** The launcher's own group. */
  readonly launcherGroup: string;
  /** The machine's group in every tree. */
  readonly groups: readonly string[];
  readonly network: MachineNetwork;
  readonly gateway: string;
  /** `outside`, `inside`. */
  readonly binds: readonly (readonly [string, string])[];
  readonly readOnlyBinds: readonly (readonly [string, string])[];
  /** Devices of the box that machines use. */
  readonly devices: readonly string[];
}

/**
 * The process that watches a machine: a small shell, in a mount namespace of its own, so that the box never sees the machine's
 * mounts and the kernel removes them with the last process. It starts nspawn again when the machine reboots (133). Should it
 * be killed, the machine goes on and is found by its control group.
 *
 * It is started in the lab's network namespace. Descriptor 3 is the lab's lock: let go only once the group tells whose this process is.
 */
export function launchScript(options: LaunchOptions): string {
  const { network } = options;
  const address6 = network.address6 === undefined ? '-' : `${network.address6}/64`;
  const args = [
    '--quiet',
    '--keep-unit',
    '--register=no',
    '--directory=root',
    `--machine=${options.machine}`,
    `--hostname=${options.machine}`,
    '--private-users=no',
    '--capability=all',
    `--drop-capability=${DROPPED_CAPABILITIES.join(',')}`,
    // What the box swaps to is its own too. The calls by name: of a group nspawn refuses nothing that another one allows.
    '--system-call-filter=@known',
    `--system-call-filter=~${REFUSED_CALLS.join(' ')}`,
    '--resolv-conf=off',
    '--timezone=off',
    '--link-journal=no',
    '--console=read-only',
    '--kill-signal=SIGRTMIN+3',
    ...options.devices.map((device) => `--bind=${device}`),
    ...options.binds.map(([outside, inside]) => `--bind=${escaped(outside)}:${inside}`),
    ...options.readOnlyBinds.map(([outside, inside]) => `--bind-ro=${escaped(outside)}:${inside}`),
    `${LAB_LIB}/init`,
    `${network.address}/24`,
    options.gateway,
    address6,
  ];
  return `#!/bin/sh
cd ${quote(options.dir)} || exit 1
echo $$ >${quote(`${options.launcherGroup}/cgroup.procs`)} || exit 1
exec 3>&- </dev/null >console.log 2>&1
# A power cut ends processes here, and the box's memory of files outlives it: to wait for the disk would only take time.
# Where the box itself went down meanwhile, nobody knows what of the machine is on its disk.
boot=$(cat /proc/sys/kernel/random/boot_id)
if [ -n "$(find work -name incompat)" ] && [ "$boot" != "$(cat booted)" ]; then
  echo 'the box was restarted while this machine ran: what it wrote may be lost; delete the lab and create it again'
  exit 1
fi
(cd work && rm -rf work/incompat) || exit 1
echo "$boot" >booted || exit 1
overlay=lowerdir=base,upperdir=upper,workdir=work,redirect_dir=off,metacopy=off
mount -t overlay overlay -o "$overlay,volatile" root || mount -t overlay overlay -o "$overlay" root || exit 1
# What nspawn leaves in /run when it is killed goes with this namespace.
mount -t tmpfs -o mode=0755 tmpfs /run || exit 1
trap 'ip link del ${network.host} 2>/dev/null' EXIT
rc=133
while [ "$rc" = 133 ]; do
  # Dying pods may hold the old network a while longer.
  ip link del ${network.host} 2>/dev/null
  # Groups that the machine made would keep it out of its own.
  for group in ${options.groups.map(quote).join(' ')}; do
    find "$group" -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null
    for name in $(cat "$group/cgroup.subtree_control" 2>/dev/null); do echo "-$name" >"$group/cgroup.subtree_control"; done
  done
  rc=0
  unshare --net sh -c ${quote(machineScript(options, args))} machine "$$" || rc=$?
done
exit "$rc"
`;
}

/**
 * Becomes the machine. In the machine's network already: nspawn shares what it finds, and so cannot fail to give it back. The
 * argument is the launcher, which is in the lab's network.
 */
function machineScript({ groups, network }: LaunchOptions, args: readonly string[]): string {
  const ends = `name eth0 address ${network.peerMac} type veth peer name ${network.host} address ${network.hostMac}`;
  return `for group in ${groups.map(quote).join(' ')}; do echo $$ >"$group/cgroup.procs" || exit 1; done
ip link add ${ends} netns "$1" || exit 1
if [ ! -e partitioned ]; then nsenter -t "$1" -n ip link set ${network.host} master ${BRIDGE} up; fi
if [ -s delay ]; then nsenter -t "$1" -n tc qdisc replace dev ${network.host} root netem delay "$(cat delay)ms"; fi
SYSTEMD_NSPAWN_API_VFS_WRITABLE=1 SYSTEMD_NSPAWN_LOCK=0 exec systemd-nspawn ${args.map(quote).join(' ')}`;
}

function escaped(path: string): string {
  return path.replace(/[\\:]/g, (char) => `\\${char}`);
}
