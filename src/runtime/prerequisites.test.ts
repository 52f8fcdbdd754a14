import { expect, test } from 'vitest';
import { prerequisiteError } from './prerequisites.ts';

const ARCH = {
  os: { id: 'arch', version: '', name: 'Arch Linux', family: 'unknown' },
  packageManager: 'none',
} as const;

test('a system whose packages nobody knows is not given a command of another one', () => {
  const missing = [{ need: 'gcc', by: ['runc 1.4.3'] }];
  const error = prerequisiteError({ missing, full: [] }, ARCH);
  expect(error).toMatchObject({ code: 'KX7043', params: { missing: 'gcc' } });
  expect(error?.detail).toContain('no package of this system has it');
});
