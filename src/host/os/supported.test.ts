import { expect, test } from 'vitest';
import type { Facts } from '../../model/facts.ts';
import { isContainer, SUPPORTED_SYSTEMS, systemSupport } from './supported.ts';

test.each<[string, string, Facts['os']['family'], ReturnType<typeof systemSupport>]>([
  ['debian', '12', 'debian', 'supported'],
  ['debian', '13', 'debian', 'supported'],
  ['debian', '11', 'debian', 'unsupported'],
  ['debian', '', 'debian', 'unknown'],
  ['ubuntu', '20.04', 'debian', 'supported'],
  ['ubuntu', '24.04', 'debian', 'supported'],
  ['ubuntu', '23.10', 'debian', 'unknown'],
  ['ubuntu', '26.04', 'debian', 'unknown'],
  ['ubuntu', '18.04', 'debian', 'unsupported'],
  ['centos', '7', 'rhel', 'supported'],
  ['centos', '6', 'rhel', 'unsupported'],
  ['rocky', '9.5', 'rhel', 'supported'],
  ['rhel', '8.10', 'rhel', 'supported'],
  ['rhel', '10.0', 'rhel', 'unknown'],
  ['almalinux', '9.4', 'rhel', 'supported'],
  ['openeuler', '22.03', 'rhel', 'unknown'],
  ['kylin', 'V10', 'rhel', 'unknown'],
  ['opensuse-leap', '15.6', 'suse', 'unsupported'],
  ['alpine', '3.21', 'alpine', 'unsupported'],
  ['', '', 'unknown', 'unsupported'],
])('%s %s', (id, version, family, support) => {
  expect(systemSupport({ id, version, family, name: '' })).toBe(support);
});

test('they are named for people, and containers are known', () => {
  expect(SUPPORTED_SYSTEMS).toMatch(/^Debian 12\/13, Ubuntu 20\.04\/22\.04\/24\.04, RHEL 7\/8\/9/);
  expect(['systemd-nspawn', 'kvm', 'none'].map((virtualization) => isContainer({ virtualization }))).toEqual([
    true,
    false,
    false,
  ]);
});
