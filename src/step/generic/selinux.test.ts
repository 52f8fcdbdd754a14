import { expect, test } from 'vitest';
import { output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import { type Selinux, selinux } from './selinux.ts';

const { judge, apply, revert } = selinux.definition;

test.each<[string, Selinux['mode'], string, object]>([
  ['Debian without it', 'permissive', '', { verdict: 'satisfied', output: { mode: 'disabled', restartNeeded: false } }],
  ['Debian without it', 'disabled', '', { verdict: 'satisfied', output: { mode: 'disabled', restartNeeded: false } }],
  [
    'Debian without it',
    'enforcing',
    '',
    { verdict: 'needed', diff: [{ what: 'SELinux at the next start', from: 'not installed', to: 'enforcing' }] },
  ],
  [
    'RHEL as it comes',
    'permissive',
    'now 1\nfile enforcing\n',
    {
      verdict: 'needed',
      seen: { now: 'enforcing', file: 'enforcing' },
      diff: [
        { what: 'SELinux', from: 'enforcing', to: 'permissive' },
        { what: 'SELinux at the next start', from: 'enforcing', to: 'permissive' },
      ],
    },
  ],
  [
    'RHEL, set by hand until the next start',
    'permissive',
    'now 0\nfile enforcing\n',
    { verdict: 'needed', diff: [{ to: 'permissive' }] },
  ],
  ['RHEL as wanted', 'permissive', 'now 0\nfile Permissive # mine\n', { verdict: 'satisfied' }],
  [
    'to be disabled: permissive until the restart',
    'disabled',
    'now 0\nfile disabled\n',
    { verdict: 'satisfied', output: { mode: 'permissive', restartNeeded: true } },
  ],
  [
    'to be disabled, still enforcing',
    'disabled',
    'now 1\nfile disabled\n',
    { verdict: 'needed', diff: [{ to: 'permissive' }] },
  ],
  [
    'disabled, to enforce after the restart',
    'enforcing',
    'file enforcing\n',
    { verdict: 'satisfied', output: { mode: 'disabled', restartNeeded: true } },
  ],
])('%s, wanted %s', (_name, mode, answer, verdict) => {
  expect(judge!(output(0, answer), { mode })).toMatchObject(verdict);
});

test.each<[Selinux['mode'], number]>([
  ['enforcing', 1],
  ['permissive', 0],
  ['disabled', 0],
])('%s writes %i to the kernel', (mode, value) => {
  const { script } = apply(undefined as never, { mode }, undefined as never) as Script;
  expect(script).toContain(`echo ${value} >/sys/fs/selinux/enforce`);
  expect(script).toContain(`s/^SELINUX=[A-Za-z]*/SELINUX=${mode}/`);
});

test('puts the word of the file and the mode back', () => {
  const { script } = revert!(
    undefined as never,
    { mode: 'disabled' },
    { now: 'enforcing', file: 'Enforcing' },
  ) as Script;
  expect(script).toContain('SELINUX=Enforcing');
  expect(script).toContain('echo 1 >/sys/fs/selinux/enforce');
});

test('refuses another mode', () => {
  expect(() => judge!(output(0), { mode: 'off' as never })).toThrow(/no mode of SELinux/);
});
