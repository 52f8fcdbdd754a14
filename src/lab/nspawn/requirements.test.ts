import { expect, test } from 'vitest';
import { boxPackages } from '../../host/index.ts';
import { missingPrograms } from './requirements.ts';

test('what is missing is named once by program and once by package', () => {
  const missing = missingPrograms((program) => !['ip', 'tc', 'mmdebstrap'].includes(program));
  expect(missing).toEqual(['mmdebstrap', 'ip', 'tc']);
  expect(packages('debian', missing)).toEqual(['mmdebstrap', 'iproute2']);
  expect(packages('rhel', missing)).toEqual(['mmdebstrap', 'iproute', 'iproute-tc']);
  expect(missingPrograms(() => true)).toEqual([]);
});

test.each(['debian', 'rhel', 'suse'] as const)('every program has a package on %s', (family) => {
  expect(
    packages(
      family,
      missingPrograms(() => false),
    ).length,
  ).toBeGreaterThan(8);
});

const MANAGERS = { debian: 'apt', rhel: 'dnf', suse: 'zypper' } as const;

function packages(family: 'debian' | 'rhel' | 'suse', programs: readonly string[]): readonly string[] {
  const os = { id: '', version: '', name: '', family };
  const found = boxPackages({ os, packageManager: MANAGERS[family] }, programs);
  expect(found.without).toEqual([]);
  return found.packages;
}
