import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { kubexmError } from '../../../model/errors/index.ts';

/** Refuses a want that no machine could fulfil: a defect of the plan, not of the machine. */
export function invalid(detail: string): Error {
  return kubexmError('KX4001', { detail });
}

/** A path that means the same wherever a script runs: absolute, no `.` or `..`, no slash at its end. */
export function absolute(path: string): string {
  if (!path.startsWith('/')) throw invalid(`the path ${JSON.stringify(path)} is not absolute`);
  if (path.includes('\0')) throw invalid('a path contains a NUL byte');
  if (path !== '/' && posix.normalize(path) !== path)
    throw invalid(`the path ${JSON.stringify(path)} is not normalised`);
  if (path !== '/' && path.endsWith('/')) throw invalid(`the path ${JSON.stringify(path)} ends with a slash`);
  return path;
}

/** The directory a path is in. */
export function parentOf(path: string): string {
  return posix.dirname(path);
}

/**
 * Where a file is made before it gets its name: in the same directory, so that the rename is atomic.
 * Always the same for a path, so that what a crash left behind is taken away by the next try.
 */
export function tempBeside(path: string): string {
  const id = createHash('sha256').update(path).digest('hex').slice(0, 16);
  return posix.join(parentOf(path), `.kubexm-${id}`);
}

/** Directories without which a machine is no longer one, or that hold what others own. */
const PROTECTED = new Set(
  `/ /bin /boot /boot/efi /dev /etc /etc/default /etc/pam.d /etc/security /etc/ssh /etc/ssl /etc/ssl/certs /etc/sudoers.d
   /etc/sysconfig /etc/systemd /etc/systemd/system /home /lib /lib32 /lib64 /libx32 /lost+found /media /mnt /opt /proc /root
   /root/.ssh /run /run/systemd /sbin /srv /sys /tmp /usr /usr/bin /usr/include /usr/lib /usr/lib/modules /usr/lib/systemd
   /usr/lib/systemd/system /usr/lib64 /usr/libexec /usr/local /usr/local/bin /usr/local/lib /usr/local/sbin /usr/sbin /usr/share
   /var /var/cache /var/lib /var/lib/apt /var/lib/dpkg /var/lib/kubexm /var/lib/rpm /var/lib/systemd /var/log /var/mail /var/run
   /var/spool /var/tmp`.split(/\s+/),
);

/** Whether a directory must never be removed or replaced as a whole. */
export function isProtected(path: string): boolean {
  return PROTECTED.has(path) || /^\/home\/[^/]+$/.test(path);
}

/** The protected directories, for the check on the machine after links are followed. */
export function protectedPaths(): readonly string[] {
  return [...PROTECTED];
}
