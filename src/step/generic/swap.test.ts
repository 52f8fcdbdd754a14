import { expect, test } from 'vitest';
import { seenSwap } from '../../host/os/swap.ts';
import { output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import { swap } from './swap.ts';

const { judge, revert } = swap.definition;
const want = { state: 'off' } as const;

test.each<[string, string, object]>([
  ['nothing', '', { verdict: 'satisfied' }],
  [
    'Debian: a partition in fstab',
    'on /dev/sda5 partition -2\nfstab UUID=5d1c none swap sw 0 0\n',
    {
      verdict: 'needed',
      seen: { on: [{ name: '/dev/sda5', type: 'partition', priority: -2 }], fstab: true, generated: [], enabled: [] },
      diff: [
        { what: 'swap /dev/sda5', from: 'on', to: 'off' },
        { what: '/etc/fstab', from: 'UUID=5d1c none swap sw 0 0', to: 'out of force' },
      ],
    },
  ],
  [
    'Fedora: zram, made at every start',
    'on /dev/zram0 partition 100\ngenerated dev-zram0.swap\n',
    {
      verdict: 'needed',
      seen: { generated: ['dev-zram0.swap'], fstab: false },
      diff: [{}, { what: 'dev-zram0.swap', to: 'masked' }],
    },
  ],
  [
    'SUSE: off, but a unit of the administrator',
    'enabled data-swap.swap\n',
    { verdict: 'needed', seen: { enabled: ['data-swap.swap'] } },
  ],
])('%s', (_name, answer, verdict) => {
  expect(judge!(output(0, answer), want)).toMatchObject(verdict);
});

test('blanks in names, as the kernel writes them', () => {
  expect(seenSwap('on /my\\040swap\\134x\\303\\274 file 5\n').on).toEqual([
    { name: '/my swap\\xü', type: 'file', priority: 5 },
  ]);
});

test('turns on again exactly what was on', () => {
  const before = {
    on: [
      { name: '/dev/sda5', type: 'partition', priority: -2 },
      { name: '/my swap', type: 'file', priority: 7 },
    ],
    fstab: true,
    generated: ['dev-zram0.swap'],
    enabled: ['data-swap.swap'],
  };
  const { script } = revert!(undefined as never, want, before) as Script;
  expect(script.match(/^kxo_swap_on .*?(?= \|\|)/gm)).toEqual([
    'kxo_swap_on /dev/sda5 -2 /dev/sda5',
    "kxo_swap_on '/my swap' 7 '/my\\040swap'",
  ]);
  expect(script).toContain('s/^#kubexm-swap# //');
  expect(script).toContain('systemctl enable --quiet -- data-swap.swap');
  expect(script).toContain('\nkxo_swap_unmask dev-zram0.swap || exit 1');
});

test('leaves fstab and systemd alone when they were not changed', () => {
  const { script } = revert!(undefined as never, want, { on: [], fstab: false, generated: [], enabled: [] }) as Script;
  expect(script).not.toContain('.kubexm-fstab');
  expect(script.slice(script.lastIndexOf('\n}')).trim()).toBe('}');
});
