import { expect, test } from 'vitest';
import type { FileEntry } from './file-entry.ts';
import { candidatePaths, originOf, withBound } from './overlay.ts';

const dir = (more: Partial<FileEntry> = {}): FileEntry => ({ type: 'directory', mode: '0755', owner: '0:0', ...more });
const file = (more: Partial<FileEntry> = {}): FileEntry => ({
  type: 'file',
  mode: '0644',
  owner: '0:0',
  size: 1,
  ...more,
});
const gone: FileEntry = { type: 'char', mode: '0000', owner: '0:0', device: '0:0', hides: 'whiteout' };
const opaque = dir({ hides: 'opaque' });

test.each<[string, Record<string, FileEntry>, string, 'upper' | 'lower' | 'nowhere']>([
  ['nothing of its own', {}, '/etc/hosts', 'lower'],
  ['its own file', { '/': dir(), '/etc': dir(), '/etc/hosts': file() }, '/etc/hosts', 'upper'],
  ['a neighbour of its own file', { '/': dir(), '/etc': dir(), '/etc/hosts': file() }, '/etc/passwd', 'lower'],
  ['a removed file', { '/etc': dir(), '/etc/hosts': gone }, '/etc/hosts', 'nowhere'],
  ['below a removed directory', { '/etc': gone }, '/etc/ssh/sshd_config', 'nowhere'],
  ['below a directory that was recreated', { '/etc': opaque }, '/etc/hosts', 'nowhere'],
  ['in a directory that was recreated', { '/etc': opaque, '/etc/hosts': file() }, '/etc/hosts', 'upper'],
  ['below a file where a directory was', { '/etc': file() }, '/etc/hosts', 'nowhere'],
  ['a name that only begins alike', { '/etc': gone }, '/etcetera', 'lower'],
])('%s', (_, upper, path, from) => {
  expect(originOf(new Map(Object.entries(upper)), path).from).toBe(from);
});

test('what the image has below a directory that was removed or recreated may differ; elsewhere it cannot', () => {
  const lower = (path: string) => (path === '/opt' ? ['/opt/a', '/opt/a/b'] : path === '/srv' ? ['/srv/x'] : []);
  const before = new Map([
    ['/', dir()],
    ['/srv', opaque],
  ]);
  const after = new Map([
    ['/', dir()],
    ['/srv', opaque],
    ['/opt', gone],
  ]);
  expect([...candidatePaths(before, after, lower)].sort()).toEqual(['/', '/opt', '/opt/a', '/opt/a/b', '/srv']);
  expect([...candidatePaths(after, before, lower)].sort()).toEqual(['/', '/opt', '/opt/a', '/opt/a/b', '/srv']);
  expect([...candidatePaths(after, after, lower)].sort()).toEqual(['/', '/opt', '/srv']);
});

test('a bound directory hides what the overlay has at its place', () => {
  const upper = new Map([
    ['/var/lib/etcd', dir({ mode: '0700' })],
    ['/var/lib/etcd/old', file()],
    ['/var/lib/etcd2', dir()],
  ]);
  const bound = [
    {
      inside: '/var/lib/etcd',
      files: new Map([
        ['/var/lib/etcd', dir()],
        ['/var/lib/etcd/member', dir()],
      ]),
    },
  ];
  const merged = withBound(upper, bound);
  expect([...merged.keys()].sort()).toEqual(['/var/lib/etcd', '/var/lib/etcd/member', '/var/lib/etcd2']);
  expect(originOf(merged, '/var/lib/etcd/of-the-image').from).toBe('nowhere');
  expect(merged.get('/var/lib/etcd')?.mode).toBe('0755');
});
