/** Directories that every system has, each with much that is not a cluster's: none of them can hold the data of a program. */
const SYSTEM_DIRECTORIES = new Set(
  `/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /media /mnt /opt /proc /root /run /sbin /srv /sys /tmp /usr /usr/bin /usr/lib
  /usr/lib64 /usr/libexec /usr/local /usr/local/bin /usr/local/lib /usr/local/sbin /usr/sbin /usr/share /var /var/cache /var/lib
  /var/lib/dpkg /var/lib/rpm /var/lib/systemd /var/local /var/log /var/mail /var/opt /var/run /var/spool /var/tmp /etc/kubernetes
  /etc/systemd /etc/systemd/system /lib/modules /lib/systemd /usr/lib/systemd /usr/lib/systemd/system`.split(/\s+/),
);
/** Nothing below these is on a disk. */
const NO_DISK = /^\/(?:dev|proc|run|sys|var\/run)\//;

/** A path without what says nothing: double slashes, dots, a slash at the end. */
export function cleanPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return `/${parts.join('/')}`;
}

/** Whether a directory is the system's own, and so cannot be given to a program for its data. */
export function isSystemDirectory(path: string): boolean {
  const clean = cleanPath(path);
  return SYSTEM_DIRECTORIES.has(clean) || NO_DISK.test(clean);
}
