import { expect, test } from 'vitest';
import { output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import { timezone } from './timezone.ts';

const { judge, apply, revert } = timezone.definition;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const link = (target: string) => `text localtime link ${base64(target)}\n`;

test.each<[string, string, string, object]>([
  [
    'Debian 12',
    'Asia/Shanghai',
    `${link('/usr/share/zoneinfo/Asia/Shanghai')}text name file 644 0 0 ${base64('Asia/Shanghai\n')}\n`,
    { verdict: 'satisfied' },
  ],
  [
    'RHEL',
    'Asia/Shanghai',
    `${link('../usr/share/zoneinfo/Asia/Shanghai')}text name absent\n`,
    { verdict: 'satisfied' },
  ],
  [
    'Debian’s UTC',
    'UTC',
    `${link('/usr/share/zoneinfo/Etc/UTC')}text name file 644 0 0 ${base64('Etc/UTC\n')}\n`,
    { verdict: 'satisfied' },
  ],
  ['nothing is UTC', 'UTC', 'text localtime absent\ntext name absent\n', { verdict: 'satisfied' }],
  [
    'another zone, no name',
    'Asia/Shanghai',
    `${link('../usr/share/zoneinfo/UTC')}text name absent\n`,
    {
      verdict: 'needed',
      seen: { localtime: { type: 'link', target: '../usr/share/zoneinfo/UTC' }, name: { type: 'absent' } },
      diff: [{ what: 'time zone', from: 'UTC', to: 'Asia/Shanghai' }],
    },
  ],
  [
    'only the name differs',
    'UTC',
    `${link('/usr/share/zoneinfo/UTC')}text name file 644 0 0 ${base64('Asia/Shanghai\n')}\n`,
    { verdict: 'needed', diff: [{ what: '/etc/timezone', from: 'Asia/Shanghai', to: 'UTC' }] },
  ],
  [
    'a copy',
    'UTC',
    `text localtime file 644 0 0 ${base64('TZif2')}\ntext name absent\n`,
    { verdict: 'needed', diff: [{ from: 'a file of its own' }] },
  ],
])('%s: %s', (_name, zone, answer, verdict) => {
  expect(judge!(output(0, answer), { zone })).toMatchObject(verdict);
});

test.each(['', '../../etc/passwd', '/UTC', 'Europe/', 'a b'])('%j is no zone', (zone) => {
  expect(() => judge!(output(0), { zone })).toThrow(/is no time zone/);
});

test('looks for the zone before it changes anything', () => {
  const { script } = apply(undefined as never, { zone: 'Europe/Berlin' }, undefined as never) as Script;
  expect(script).toMatch(/^\[ -f \/usr\/share\/zoneinfo\/Europe\/Berlin \] \|\|/);
  expect(script).toContain('ln -s -- ../usr/share/zoneinfo/Europe/Berlin "$t"');
});

test('puts the link back', () => {
  const before = { localtime: { type: 'link', target: '/usr/share/zoneinfo/UTC' }, name: { type: 'absent' } } as const;
  const { script } = revert!(undefined as never, { zone: 'Europe/Berlin' }, before) as Script;
  expect(script).toContain('ln -sfn -- /usr/share/zoneinfo/UTC /etc/localtime');
});
