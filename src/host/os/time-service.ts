import type { Facts } from '../../model/facts.ts';
import { knownFamily } from './family.ts';

/** Where chrony is on a machine. */
export interface TimeService {
  readonly unit: string;
  readonly config: string;
  /** Units of other programs that set the clock now and have to make room. */
  readonly rivals: readonly string[];
}

/** What chrony is called on a machine. On Debian installing it takes other programs that set the clock away. */
export function timeService(facts: Pick<Facts, 'os' | 'packageManager' | 'ntp'>): TimeService {
  if (knownFamily(facts) === 'debian') return { unit: 'chrony', config: '/etc/chrony/chrony.conf', rivals: [] };
  const rivals = { ntpd: ['ntpd'], timesyncd: ['systemd-timesyncd'], chrony: [], none: [] }[facts.ntp];
  return { unit: 'chronyd', config: '/etc/chrony.conf', rivals };
}
