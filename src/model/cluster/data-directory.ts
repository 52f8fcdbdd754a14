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

/** What is below these is gone after a restart, or after some days. */
const VOLATILE = ['/tmp', '/var/tmp', '/var/cache', '/var/lock'];
/** Below these everything belongs to the system, to Kubernetes or to kubexm. */
const TAKEN =
  `/bin /boot /etc /lib /lib32 /lib64 /sbin /usr /root/.ssh /root/.kube /root/.kubexm /lost+found /var/lib/apt /var/lib/dpkg
  /var/lib/dbus /var/lib/kubexm /var/lib/NetworkManager /var/lib/rpm /var/lib/snapd /var/lib/systemd /var/lib/cni /var/log /var/mail
  /var/spool /opt/cni /opt/kubexm`.split(/\s+/);

/** The directory below which nobody may put data, if a path is there, and whether it is emptied now and then. */
export function takenPlace(path: string): { readonly directory: string; readonly volatile: boolean } | undefined {
  const clean = cleanPath(path);
  const within = (directory: string): boolean => isInside(clean, directory);
  const emptied = VOLATILE.find(within);
  if (emptied !== undefined) return { directory: emptied, volatile: true };
  const home = /^\/home\/[^/]+\/\.ssh(?=\/|$)/.exec(clean)?.[0];
  const taken = TAKEN.find(within) ?? home;
  return taken === undefined ? undefined : { directory: taken, volatile: false };
}

/** Whether a clean path is a directory or lies below it. */
export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

/** Whether a directory is the system's own, and so cannot be given to a program for its data. */
export function isSystemDirectory(path: string): boolean {
  const clean = cleanPath(path);
  return SYSTEM_DIRECTORIES.has(clean) || NO_DISK.test(clean);
}
