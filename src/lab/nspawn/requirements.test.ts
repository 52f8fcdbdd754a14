import { expect, test } from 'vitest';
import { missingPrograms, packagesFor } from './requirements.ts';

test('what is missing is named once by program and once by package', () => {
  const missing = missingPrograms((program) => !['ip', 'tc', 'mmdebstrap'].includes(program));
  expect(missing).toEqual(['mmdebstrap', 'ip', 'tc']);
  expect(packagesFor(missing)).toEqual(['mmdebstrap', 'iproute2']);
  expect(missingPrograms(() => true)).toEqual([]);
});
