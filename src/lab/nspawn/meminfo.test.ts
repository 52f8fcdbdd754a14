import { expect, test } from 'vitest';
import { meminfoText, swapsText } from './meminfo.ts';

const BOX = `MemTotal:       24684100 kB
MemFree:        17960960 kB
MemAvailable:   23463000 kB
Cached:          5100000 kB
SwapTotal:       8000000 kB
SwapFree:        7000000 kB
VmallocTotal:   34359738367 kB
HugePages_Total:       0
Hugepagesize:       2048 kB
`;

test('a machine of 2 GiB, with the box’s lines and columns', () => {
  expect(meminfoText(BOX, 2 * 1024 ** 3)).toBe(`MemTotal:        2097152 kB
MemFree:         2031616 kB
MemAvailable:    2031616 kB
Cached:           433294 kB
SwapTotal:             0 kB
SwapFree:              0 kB
VmallocTotal:   34359738367 kB
HugePages_Total:       0
Hugepagesize:       2048 kB
`);
});

test('no swap is a head and no line', () => {
  expect(swapsText().trim().split('\n')).toHaveLength(1);
});
