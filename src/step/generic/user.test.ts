import { describe, expect, test } from 'vitest';
import { output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import { type User, user } from './user.ts';
import { group } from './user-group.ts';

const { judge, probe, apply, revert } = user.definition;

const ETCD = `passwd etcd:x:996:994:etcd:/var/lib/etcd:/sbin/nologin
primary etcd
groups etcd adm
group yes
home yes
`;
const seen = {
  exists: true,
  uid: 996,
  group: 'etcd',
  comment: 'etcd',
  home: '/var/lib/etcd',
  shell: '/sbin/nologin',
  groups: ['adm'],
  groupExists: true,
  homeExists: true,
};

describe('judge', () => {
  test.each<[string, User]>([
    ['there', { name: 'etcd' }],
    [
      'as named',
      { name: 'etcd', uid: 996, group: 'etcd', groups: ['adm'], home: '/var/lib/etcd', shell: '/sbin/nologin' },
    ],
  ])('satisfied: %s', (_name, want) => {
    expect(judge!(output(0, ETCD), want)).toEqual({
      verdict: 'satisfied',
      output: { uid: 996, group: 'etcd', home: '/var/lib/etcd' },
    });
  });

  test('needed: not there, with or without a group of its name', () => {
    expect(judge!(output(0, 'group yes\n'), { name: 'etcd', uid: 5 })).toEqual({
      verdict: 'needed',
      seen: {
        ...seen,
        exists: false,
        uid: -1,
        group: '',
        comment: '',
        home: '',
        shell: '',
        groups: [],
        homeExists: false,
      },
      diff: [{ what: 'user etcd', to: 'made as 5' }],
    });
    expect(judge!(output(0, ''), { name: 'etcd' })).toMatchObject({ seen: { exists: false, groupExists: false } });
  });

  test('needed: other values', () => {
    const want: User = { name: 'etcd', uid: 1, groups: ['adm', 'tty'], comment: '', home: '/x', shell: '/bin/sh' };
    expect(judge!(output(0, ETCD), want)).toEqual({
      verdict: 'needed',
      seen,
      diff: [
        { what: 'uid', from: '996', to: '1' },
        { what: 'comment', from: 'etcd', to: '' },
        { what: 'home', from: '/var/lib/etcd', to: '/x' },
        { what: 'shell', from: '/sbin/nologin', to: '/bin/sh' },
        { what: 'member of', to: 'tty' },
      ],
    });
  });
});

test('only what is named is changed, and only that put back', () => {
  const want: User = { name: 'etcd', shell: '/bin/sh' };
  const change = (apply({} as never, want, {} as never) as Script).script;
  expect(change).toContain('usermod -s /bin/sh -- etcd');
  expect(change.match(/usermod -[a-zA-Z].*(?= -- etcd)/g)).toEqual(['usermod -s /bin/sh']);
  const back = (revert!({} as never, want, seen) as Script).script;
  expect(back).toContain('usermod -s /sbin/nologin -- etcd');
  expect(back).not.toMatch(/usermod -[cdguG].* -- etcd|^kxu_delete /m);
});

test.each<[string, User]>([
  ['is no name of a user', { name: 'Root User' }],
  ['is no name of a user', { name: 'a', groups: ['-x'] }],
  ['is no number of a user', { name: 'a', uid: -1 }],
  ['cannot be kept', { name: 'a', comment: 'x:y' }],
  ['not absolute', { name: 'a', home: 'x' }],
])('refused when it is planned: %s', (message, want) => {
  expect(() => probe!(want)).toThrow(message);
});

test.each([
  ['etcd:x:994:\n', { name: 'etcd' }, { verdict: 'satisfied', output: { gid: 994 } }],
  [
    '',
    { name: 'etcd' },
    { verdict: 'needed', seen: { exists: false, gid: -1 }, diff: [{ what: 'group etcd', to: 'made' }] },
  ],
  [
    'etcd:x:994:\n',
    { name: 'etcd', gid: 5 },
    { verdict: 'needed', seen: { exists: true, gid: 994 }, diff: [{ what: 'group etcd', from: '994', to: '5' }] },
  ],
])('a group that is %j', (stdout, want, verdict) => {
  expect(group.definition.judge!(output(0, stdout), want)).toEqual(verdict);
});
