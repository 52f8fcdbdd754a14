import { expect, test } from 'vitest';
import { kernelSince } from './kernel.ts';

test.each([
  ['5.13.0', '5.13', true],
  ['6.1.0-28-amd64', '5.13', true],
  ['5.14.0-503.el9.x86_64', '5.13', true],
  ['5.4.0-200-generic', '5.13', false],
  ['5.10.0-28-amd64', '5.13', false],
  ['4.19-custom', '5.11', false],
  ['3.10.0-1160.el7.x86_64', '3.10', true],
  ['10.0', '5.13', true],
  ['', '3.10', false],
])('kernel %j since %s: %j', (kernel, minimum, since) => {
  expect(kernelSince(kernel, minimum)).toBe(since);
});
