import { expect, test } from 'vitest';
import { output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import { hostname } from './hostname.ts';

const { judge, probe, apply, revert } = hostname.definition;
const file = (text: string) => `text file file 644 0 0 ${Buffer.from(text).toString('base64')}\n`;

test.each<[string, string, object]>([
  ['named', `now node1\n${file('node1\n')}`, { verdict: 'satisfied' }],
  ['named, with a comment above', `now node1\n${file('# the first\n\n node1 \n')}`, { verdict: 'satisfied' }],
  [
    'named by DHCP only',
    `now node1\n${file('localhost.localdomain\n')}`,
    { verdict: 'needed', diff: [{ what: '/etc/hostname', from: 'localhost.localdomain', to: 'node1' }] },
  ],
  [
    'no file',
    'now localhost\ntext file absent\n',
    {
      verdict: 'needed',
      seen: { now: 'localhost', file: { type: 'absent' } },
      diff: [
        { what: 'hostname', from: 'localhost', to: 'node1' },
        { what: '/etc/hostname', to: 'node1' },
      ],
    },
  ],
])('%s', (_name, answer, verdict) => {
  expect(judge!(output(0, answer), { name: 'node1' })).toMatchObject(verdict);
});

test.each(['', 'Node1', 'node_1', '-x', 'x-', 'a..b', 'a'.repeat(64), `${'a.'.repeat(33)}a`])(
  '%j is no name',
  (name) => {
    expect(() => judge!(output(0), { name })).toThrow(/is no name for a machine/);
    expect(() => apply(undefined as never, { name }, undefined as never)).toThrow(/is no name for a machine/);
  },
);

test('names it now and for the next start, and back', () => {
  expect(probe!({ name: 'node1' }).script).toContain('kxo_text file /etc/hostname');
  expect((apply(undefined as never, { name: 'node1' }, undefined as never) as Script).script).toMatch(
    /\nkxo_name node1$/,
  );
  const undo = revert!(undefined as never, { name: 'node1' }, { now: 'old', file: { type: 'absent' } }) as Script;
  expect(undo.script).toContain('rm -f -- /etc/hostname');
  expect(undo.script).toMatch(/\nkxo_name old$/);
});
