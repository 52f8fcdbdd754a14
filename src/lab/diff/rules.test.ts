import { describe, expect, test } from 'vitest';
import { globPattern } from './glob.ts';
import { parseRules, readDiffRules, withoutRules } from './rules.ts';
import type { Difference } from './types.ts';

test.each([
  ['/etc/hosts', '/etc/hosts', true],
  ['/etc/hosts', '/etc/hosts.bak', false],
  ['/etc/ssh.d', '/etc/sshXd', false],
  ['/var/log/*.log', '/var/log/dpkg.log', true],
  ['/var/log/*.log', '/var/log/apt/dpkg.log', false],
  ['/var/log/apt/**', '/var/log/apt', true],
  ['/var/log/apt/**', '/var/log/apt/term.log', true],
  ['/var/log/apt/**', '/var/log/apt/a/b', true],
  ['/var/log/apt/**', '/var/log/aptitude', false],
  ['fs/*-nr', 'fs/inode-nr', true],
  ['user@*.service', 'user@0.service', true],
  ['gre?0', 'gre10', true],
  ['a**z', 'a/b/z', true],
  ['/x', '/x\n', false],
])('%s and %j: %s', (glob, text, matches) => {
  expect(globPattern(glob).test(text)).toBe(matches);
});

describe('the reviewed file', () => {
  test('is valid, gives a reason for everything, and says nothing twice', async () => {
    const { noise, remains } = await readDiffRules();
    expect(noise.length).toBeGreaterThan(20);
    expect(remains.length).toBeGreaterThan(10);
    const names = [...noise, ...remains].map(({ section, match }) => `${section} ${match}`);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  test('names no place that a delete has to clean up', async () => {
    const { noise, remains } = await readDiffRules();
    const places = [
      '/etc/kubernetes/admin.conf',
      '/etc/systemd/system/kubelet.service',
      '/usr/local/bin/kubeadm',
      '/var/lib/kubelet/config.yaml',
      '/var/lib/etcd/member',
      '/var/lib/containerd/x',
      '/var/log/pods/x',
      '/var/log/containers/x',
      '/etc/hosts',
      '/etc/sysctl.d/99-kubexm.conf',
      '/etc/apt/sources.list.d/x.list',
      '/opt/cni/bin/bridge',
      '/root/.kube/config',
      '/var/lib/kubexm/x',
      '/tmp/x',
    ];
    const files = places.map((key): Difference => ({ section: 'file', key, change: 'added', after: {} }));
    expect(withoutRules(files, [...noise, ...remains])).toEqual(files);
  });

  test.each([
    ['noise: []', 'remains is no list'],
    ['noise: []\nremains: []\nmore: []', 'more is unknown'],
    ['noise: []\nremains: [{section: file, match: /a}]', 'remains[0].reason is missing'],
    ['noise: []\nremains: [{section: files, match: /a, reason: because it is so}]', 'remains[0].section is none of'],
    ['noise: [{section: file, match: "", reason: because it is so}]\nremains: []', 'noise[0].match is no pattern'],
    [
      'noise: []\nremains: [{section: file, match: /a, reason: because it is so, changes: [gone]}]',
      'remains[0].changes is no list of',
    ],
    ['noise: []\nremains: [{section: file, match: /a, reason: because it is so, why: x}]', 'remains[0].why is unknown'],
    ['- a', 'it is no mapping'],
  ])('%j is refused: %s', (text, reason) => {
    expect(() => parseRules(text)).toThrow(reason);
  });

  test('that is not there is an error with its name', async () => {
    await expect(readDiffRules('/nonexistent/rules.yaml')).rejects.toMatchObject({ code: 'KX6603' });
  });
});

describe('rules take out', () => {
  const { remains } = parseRules(`noise: []
remains:
  - {section: file, match: "/var/cache/**", reason: everything there is a cache}
  - {section: link, match: tunl0, changes: [added], reason: made by the kernel itself}
  - {section: package, match: "*", only: [mark], reason: only for this very test}
`);
  const difference = (more: Pick<Difference, 'section' | 'key' | 'change'> & Partial<Difference>): Difference => more;

  test.each([
    [difference({ section: 'file', key: '/var/cache/apt/x', change: 'added' }), true],
    [difference({ section: 'unit', key: '/var/cache/apt/x', change: 'added' }), false],
    [difference({ section: 'file', key: '/var/lib/x', change: 'added' }), false],
    [difference({ section: 'link', key: 'tunl0', change: 'added', after: { up: 'no' } }), true],
    [difference({ section: 'link', key: 'tunl0', change: 'changed', before: {}, after: { up: 'yes' } }), false],
    [
      difference({
        section: 'package',
        key: 'a',
        change: 'changed',
        before: { mark: 'auto' },
        after: { mark: 'manual' },
      }),
      true,
    ],
    [
      difference({
        section: 'package',
        key: 'a',
        change: 'changed',
        before: { mark: 'auto', version: '1' },
        after: { mark: 'manual', version: '2' },
      }),
      false,
    ],
  ])('%j: %s', (one, taken) => {
    expect(withoutRules([one], remains)).toEqual(taken ? [] : [one]);
  });
});
