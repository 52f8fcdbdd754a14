/**
 * What the first process of a host does. Its root is an overlay over this machine's, so that it may change everything and
 * changes nothing. It ends with its stdin, and with it everything in its namespaces: no test leaves a process behind.
 */
export const HOST_INIT = String.raw`
set -e
name=$1 box=$2
hostname "$name"
mount --make-rprivate /
mount -t tmpfs -o mode=0700 none "$box"
mkdir "$box/upper" "$box/work" "$box/root"
mount -t overlay none -o "lowerdir=/,upperdir=$box/upper,workdir=$box/work" "$box/root"
mount -t proc proc "$box/root/proc"
mount --rbind /sys "$box/root/sys"
mount --rbind /dev "$box/root/dev"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$box/root/dev/pts"
mount --bind "$box/root/dev/pts/ptmx" "$box/root/dev/ptmx"
mount -t tmpfs -o mode=0755 none "$box/root/run"
mkdir -p "$box/root/run/sshd" "$box/root/run/lock" "$box/root/srv/kx-test"
printf '%s\n' "$name" >"$box/root/etc/hostname"
printf '127.0.0.1 localhost %s\n::1 localhost\n' "$name" >"$box/root/etc/hosts"
rm -f "$box/root/run/nologin" "$box/root/etc/nologin"
exec chroot "$box/root" /bin/sh -c '
  cd /
  exec 3<&0
  cat <&3 >/dev/null &
  echo up
  exec >/dev/null 2>&1
  wait $!
'
`;
