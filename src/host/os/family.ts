import type { Facts } from '../../model/facts.ts';

/** Families whose packages and services have names that kubexm knows. */
export type KnownFamily = 'debian' | 'rhel' | 'suse';

/** The family whose names hold on a machine. A system that nobody has heard of is judged by what installs its packages. */
export function knownFamily({ os, packageManager }: Pick<Facts, 'os' | 'packageManager'>): KnownFamily {
  if (os.family === 'debian' || os.family === 'rhel' || os.family === 'suse') return os.family;
  if (packageManager === 'apt') return 'debian';
  return packageManager === 'zypper' ? 'suse' : 'rhel';
}
