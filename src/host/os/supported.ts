import type { Facts } from '../../model/facts.ts';

/** The systems that kubexm knows, of which only Debian is tested on real machines so far: id as in os-release, what people call it, versions. */
const SYSTEMS: readonly (readonly [string, string, readonly string[]])[] = [
  ['debian', 'Debian', ['12', '13']],
  ['ubuntu', 'Ubuntu', ['20.04', '22.04', '24.04']],
  ['rhel', 'RHEL', ['7', '8', '9']],
  ['centos', 'CentOS', ['7', '8', '9']],
  ['rocky', 'Rocky', ['8', '9']],
  ['almalinux', 'AlmaLinux', ['8', '9']],
  ['ol', 'Oracle Linux', ['8', '9']],
];

/** They, for people. */
export const SUPPORTED_SYSTEMS = SYSTEMS.map(([, name, versions]) => `${name} ${versions.join('/')}`).join(', ');

/**
 * What kubexm knows of a system. `unknown`: of a family it can work with, by a name that is not on the list, or newer than
 * what is. `unsupported`: another family, or older.
 */
export function systemSupport({ id, version, family }: Facts['os']): 'supported' | 'unknown' | 'unsupported' {
  if (family !== 'debian' && family !== 'rhel') return 'unsupported';
  const versions = SYSTEMS.find(([name]) => name === id)?.[2];
  if (versions === undefined) return 'unknown';
  if (versions.some((one) => version === one || version.startsWith(`${one}.`))) return 'supported';
  // A rolling release such as Debian testing has no number.
  return Number.parseFloat(version) < Number.parseFloat(versions[0] ?? '0') ? 'unsupported' : 'unknown';
}

/** Whether it is a container and no machine: it shows the hardware of the machine it is in. */
export function isContainer({ virtualization }: Pick<Facts, 'virtualization'>): boolean {
  return ['systemd-nspawn', 'lxc', 'lxc-libvirt', 'docker', 'podman', 'openvz', 'wsl'].includes(virtualization);
}
