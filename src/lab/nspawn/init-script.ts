/** Where the lab's own files are in every machine: part of the image, so that they are no change of the machine. */
export const LAB_LIB = '/usr/lib/kubexm-lab';

/**
 * What a machine runs before its systemd: makes /sys and the control groups usable, puts files of the machine's own over what
 * would reach the whole box, and sets up the network. Arguments: address/prefix, gateway, IPv6 address/prefix or `-`.
 * `$0`'s directory has `boot`, bound from the box: the machine's own swaps and meminfo.
 */
export const INIT_SCRIPT = `#!/bin/sh
PATH=/usr/sbin:/usr/bin:/sbin:/bin
own=/run/kubexm-lab
mkdir -p -m 0755 "$own"

# nspawn leaves out much of /sys. The control groups, which it mounted there, move aside meanwhile.
mount --make-rprivate /
mkdir "$own/cgroup"
mount --move /sys/fs/cgroup "$own/cgroup"
umount -R -l /sys
mount -t sysfs -o nosuid,nodev,noexec sysfs /sys
mount --move "$own/cgroup" /sys/fs/cgroup
rmdir "$own/cgroup"
mount -o remount,rw,bind /sys/fs/cgroup
for d in /sys/fs/cgroup/*; do
  if mountpoint -q "$d"; then mount -o remount,rw,bind "$d"; fi
done

# systemd removes empty groups of devices, which it has in no other use, under the hands of the kubelet, whose pod then waits
# for another 15 s (kubernetes#103542). Runtimes find them by what is mounted, systemd only under their name.
if [ -d /sys/fs/cgroup/devices ]; then
  mount -o remount,rw /sys/fs/cgroup
  mkdir /sys/fs/cgroup/of-devices
  mount --move /sys/fs/cgroup/devices /sys/fs/cgroup/of-devices
  mount -t tmpfs -o nosuid,nodev,noexec,mode=755 none /sys/fs/cgroup/devices
fi

# Settings of the whole box become plain files of this machine. What belongs to a namespace stays real.
mkdir "$own/sys" "$own/real"
mount --rbind /proc/sys "$own/real"
fake_dir() {
  [ -d "/proc/sys/$1" ] || return 0
  mkdir -p "$own/sys/$1"
  cp -R "/proc/sys/$1/." "$own/sys/$1" 2>/dev/null
  mount --bind "$own/sys/$1" "/proc/sys/$1"
}
real() {
  for k; do
    if [ -e "$own/real/$k" ]; then mount --bind "$own/real/$k" "/proc/sys/$k"; fi
  done
}
fake_file() {
  [ -f "$1" ] || return 0
  copy=$own/sys/files/$(echo "$1" | tr / _)
  mkdir -p "$own/sys/files"
  cat "$1" >"$copy"
  mount --bind "$copy" "$1"
}
missing() {
  if [ ! -e "$own/sys/$1" ]; then echo "$2" >"$own/sys/$1"; fi
}
for d in /proc/sys/*; do
  case $d in */net) ;; *) fake_dir "\${d#/proc/sys/}" ;; esac
done
real kernel/hostname kernel/domainname kernel/ns_last_pid fs/mqueue
real kernel/shmmax kernel/shmall kernel/shmmni kernel/shm_rmid_forced kernel/msgmax kernel/msgmnb kernel/msgmni kernel/sem
real kernel/random/uuid kernel/random/entropy_avail
fake_dir net/core
missing net/core/netdev_max_backlog 1000
missing net/core/default_qdisc pfifo_fast
missing net/core/dev_weight 64
missing net/core/rmem_max 212992
missing net/core/wmem_max 212992
real net/core/somaxconn
for k in nf_conntrack_max netfilter/nf_conntrack_max netfilter/nf_conntrack_buckets netfilter/nf_conntrack_expect_max; do
  fake_file "/proc/sys/net/$k"
done
fake_file /sys/kernel/mm/transparent_hugepage/enabled
fake_file /sys/kernel/mm/transparent_hugepage/defrag
fake_file /sys/module/nf_conntrack/parameters/hashsize
umount -l "$own/real"
rmdir "$own/real"

for f in swaps meminfo; do
  if [ -f "\${0%/*}/boot/$f" ]; then
    cat "\${0%/*}/boot/$f" >"$own/$f"
    mount --bind "$own/$f" "/proc/$f"
  fi
done

mount --make-rshared /
ip link set lo up
echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_ra 2>/dev/null
ip addr add "$1" dev eth0
if [ "$3" != - ]; then ip addr add "$3" dev eth0 nodad; fi
ip link set eth0 up
ip route add default via "$2"

# A systemd that gave up control groups v1 runs on them if configured so.
if [ -d /sys/fs/cgroup/systemd ]; then
  exec /lib/systemd/systemd systemd.unified_cgroup_hierarchy=0 SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1
fi
exec /lib/systemd/systemd
`;
