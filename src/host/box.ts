import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { familyOf, keyValues } from './facts/os.ts';
import type { System } from './os/box-packages.ts';

const RELEASES = ['/etc/os-release', '/usr/lib/os-release'];
/** Families, and what installs their packages. Labs may have brought apt to others too, where it installs nothing. */
const MANAGERS = [
  ['debian', 'apt-get', 'apt'],
  ['rhel', 'dnf', 'dnf'],
  ['rhel', 'yum', 'yum'],
  ['suse', 'zypper', 'zypper'],
] as const;
const SYSTEM_PATH = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** What the machine that kubexm runs on calls its packages, read without a connection to it. */
export function boxSystem(root = '/', path = process.env['PATH'] ?? ''): System {
  const release = RELEASES.map((file) => join(root, file)).find((file) => existsSync(file));
  const os = keyValues(release === undefined ? '' : readFileSync(release, 'utf8'));
  const id = (os.get('ID') ?? '').toLowerCase();
  const dirs = [...path.split(delimiter).filter(Boolean), ...SYSTEM_PATH].map((dir) => join(root, dir));
  const has = (program: string) => dirs.some((dir) => existsSync(join(dir, program)));
  const family = familyOf(id, os.get('ID_LIKE') ?? '');
  const managers = MANAGERS.filter(([of, program]) => (family === 'unknown' || family === of) && has(program));
  return {
    os: {
      id,
      version: os.get('VERSION_ID') ?? '',
      name: os.get('PRETTY_NAME') ?? id,
      family,
    },
    packageManager: managers[0]?.[2] ?? 'none',
  };
}
