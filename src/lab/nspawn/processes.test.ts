import { expect, test } from 'vitest';
import { firstProcess, hasListener } from './processes.ts';

test('the machine’s first process is neither nspawn nor a pod’s', () => {
  const ids: Readonly<Record<number, string>> = {
    10: 'NSpid:\t10',
    11: 'NSpid:\t11\t7',
    12: 'NSpid:\t12\t40\t1',
    13: 'Name:\tsystemd\nNSpid:\t13\t1\n',
  };
  const status = (pid: number): string => ids[pid] ?? '';
  expect(firstProcess([10, 11, 12, 13, 99], status)).toBe(13);
  expect(firstProcess([10, 11, 12], status)).toBeUndefined();
});

test.each([
  ['   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000', 22, true],
  ['   0: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A 0', 22, true],
  ['   1: 0458580A:0016 0158580A:9C40 01 00000000:00000000 02:00000000', 22, false],
  ['   0: 00000000:1600 00000000:0000 0A 00000000:00000000', 22, false],
  ['', 22, false],
])('%j', (line, port, listens) => {
  expect(hasListener(`  sl  local_address rem_address   st\n${line}\n`, port)).toBe(listens);
});

test('who listens on one address leaves the port free on the others', () => {
  const one = '   0: 0158580A:0C46 00000000:0000 0A 0';
  expect(hasListener(one, 3142)).toBe(true);
  expect(hasListener(one, 3142, true)).toBe(false);
  expect(hasListener('   0: 00000000:0C46 00000000:0000 0A 0', 3142, true)).toBe(true);
});
