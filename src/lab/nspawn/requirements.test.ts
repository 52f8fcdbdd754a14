import { expect, test, vi } from 'vitest';
import { boxPackages, boxSystem } from '../../host/index.ts';
import { ensurePrograms, missingPrograms } from './requirements.ts';

vi.mock('../../host/index.ts', { spy: true });

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

test.runIf(process.getuid?.() === 0)('without known packages, the error names the programs', async () => {
  const os = { id: 'arch', version: '', name: 'Arch Linux', family: 'unknown' } as const;
  vi.mocked(boxSystem).mockReturnValueOnce({ os, packageManager: 'none' });
  const error = await ensurePrograms({ report: () => undefined, needs: ['gcc'] }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'KX6001', params: { packages: expect.stringContaining('gcc') } });
});

const MANAGERS = { debian: 'apt', rhel: 'dnf', suse: 'zypper' } as const;

function packages(family: 'debian' | 'rhel' | 'suse', programs: readonly string[]): readonly string[] {
  const os = { id: '', version: '', name: '', family };
  const found = boxPackages({ os, packageManager: MANAGERS[family] }, programs);
  expect(found.without).toEqual([]);
  return found.packages;
}
