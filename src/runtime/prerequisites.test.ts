import { expect, test } from 'vitest';
import { kubexmError } from '../model/errors/index.ts';
import { prerequisiteError } from './prerequisites.ts';

const ARCH = {
  os: { id: 'arch', version: '', name: 'Arch Linux', family: 'unknown' },
  packageManager: 'none',
} as const;

test('a system whose packages nobody knows is not given a command of another one', () => {
  const missing = [{ need: 'gcc', by: ['runc 1.4.3'] }];
  const error = prerequisiteError({ nowhere: undefined, missing, full: [] }, ARCH);
  expect(error).toMatchObject({ code: 'KX7043', params: { missing: 'gcc' } });
  expect(error?.detail).toContain('no package of this system has it');
});

test('an artifact without a source is reported before build prerequisites', () => {
  const nowhere = kubexmError('KX7016', { what: 'runc 1.4.3', sources: 'upstream' });
  const missing = [{ need: 'gcc', by: ['etcd 3.6.0'] }];
  expect(prerequisiteError({ nowhere, missing, full: [] }, ARCH)).toBe(nowhere);
});
