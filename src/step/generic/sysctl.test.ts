import { describe, expect, test } from 'vitest';
import { isSetting, overriding, settingName, settingPath } from '../../host/os/sysctl.ts';
import { output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import { type Sysctl, sysctl } from './sysctl.ts';

const { judge, probe, apply, revert, owns } = sysctl.definition;
const want: Sysctl = {
  values: {
    'net.ipv4.ip_forward': 1,
    'net.ipv4.ip_local_port_range': '1024 65000',
    'net.bridge.bridge-nf-call-iptables': 1,
  },
  optional: ['net.bridge.bridge-nf-call-iptables'],
};
const FILE =
  '# Written by kubexm: settings that the cluster needs.\nnet.ipv4.ip_forward = 1\nnet.ipv4.ip_local_port_range = 1024 65000\n-net.bridge.bridge-nf-call-iptables = 1\n';
const there = `text file file 644 0 0 ${Buffer.from(FILE).toString('base64')}\n`;
const live = '/proc/sys/net/ipv4/ip_forward:1\n/proc/sys/net/ipv4/ip_local_port_range:1024\t65000\n';

describe('judge', () => {
  test.each<[string, string, object]>([
    [
      'all set, an optional one is not there',
      live + there,
      { verdict: 'satisfied', output: { skipped: ['net.bridge.bridge-nf-call-iptables'], overridden: [] } },
    ],
    [
      'RHEL 9: live values differ, no file',
      '/proc/sys/net/ipv4/ip_forward:0\n/proc/sys/net/ipv4/ip_local_port_range:32768\t60999\n/proc/sys/net/bridge/bridge-nf-call-iptables:0\ntext file absent\n',
      {
        verdict: 'needed',
        seen: {
          live: {
            'net.ipv4.ip_forward': '0',
            'net.ipv4.ip_local_port_range': '32768 60999',
            'net.bridge.bridge-nf-call-iptables': '0',
          },
          file: { file: { type: 'absent' } },
        },
        diff: [
          { what: 'net.ipv4.ip_forward', from: '0', to: '1' },
          { what: 'net.ipv4.ip_local_port_range', from: '32768 60999', to: '1024 65000' },
          { what: 'net.bridge.bridge-nf-call-iptables', from: '0', to: '1' },
          { what: '/etc/sysctl.d/99-kubexm-cri.conf (new)' },
        ],
      },
    ],
    [
      'Ubuntu: /etc/sysctl.conf, also by its link, wins',
      `${live}line /etc/sysctl.d/99-sysctl.conf:net.ipv4.ip_forward=0\nline /etc/sysctl.conf:net.ipv4.ip_forward=0\n${there}`,
      {
        verdict: 'needed',
        diff: [{ what: 'net.ipv4.ip_forward at the next start', from: '0 (/etc/sysctl.conf)', to: '1' }],
      },
    ],
    [
      'SUSE: an earlier file, and a later one that says the same',
      `${live}line /usr/lib/sysctl.d/50-default.conf:net.ipv4.ip_forward = 0\nline /etc/sysctl.d/99-zz.conf: -net/ipv4/ip_forward = 1\n${there}`,
      { verdict: 'satisfied' },
    ],
    [
      'a key that is needed is not there',
      `/proc/sys/net/ipv4/ip_forward:1\n${there}`,
      {
        verdict: 'needed',
        diff: [{ what: 'net.ipv4.ip_local_port_range', from: 'no such setting', to: '1024 65000' }],
      },
    ],
  ])('%s', (_name, answer, verdict) => {
    expect(judge!(output(0, answer), want)).toMatchObject(verdict);
  });
});

test.each([
  ['net.ipv4.ip_forward', '/proc/sys/net/ipv4/ip_forward', 'net.ipv4.ip_forward'],
  [
    'net/ipv4/conf/eth0.100/rp_filter',
    '/proc/sys/net/ipv4/conf/eth0.100/rp_filter',
    'net.ipv4.conf.eth0/100.rp_filter',
  ],
  [
    'net.ipv4.conf.eth0/100.rp_filter',
    '/proc/sys/net/ipv4/conf/eth0.100/rp_filter',
    'net.ipv4.conf.eth0/100.rp_filter',
  ],
])('%s is %s', (key, path, name) => {
  expect(settingPath(key)).toBe(path);
  expect(settingName(key)).toBe(name);
});

test.each(['', 'x', '../x', 'net..x', 'net/../../etc/passwd', 'net.ipv4.$x', '/etc/passwd', 'a.b c'])(
  '%j is no setting',
  (key) => {
    expect(isSetting(key)).toBe(false);
    expect(() => probe!({ values: { [key]: 1 } })).toThrow(/is no setting/);
  },
);

test('a later file wins over an earlier one, whatever its directory', () => {
  const line = (file: string, value: string) => ({ file, key: 'a.b', value });
  const all = [
    line('/etc/sysctl.d/10-x.conf', '1'),
    line('/usr/lib/sysctl.d/99-z.conf', '2'),
    line('/run/sysctl.d/99-y.conf', '3'),
  ];
  expect(overriding(all, '/etc/sysctl.d/99-kubexm.conf')).toEqual([line('/usr/lib/sysctl.d/99-z.conf', '2')]);
  expect(overriding(all, '/etc/sysctl.d/99-zz.conf')).toEqual([]);
});

test('needs what must be there before it writes anything, and sets live values', () => {
  const { script } = apply(undefined as never, want, undefined as never) as Script;
  expect(script.indexOf('the setting net.ipv4.ip_forward does not exist')).toBeLessThan(script.indexOf('KXG_END'));
  expect(script).not.toContain('the setting net.bridge.bridge-nf-call-iptables does not exist');
  expect(script).toContain("printf '%s\\n' '1024 65000' >/proc/sys/net/ipv4/ip_local_port_range");
});

test('reverting sets the old live values, the last one first', () => {
  const before = {
    file: { file: { type: 'absent' as const }, made: [] },
    live: { 'net.ipv4.ip_forward': '0', 'vm.swappiness': '60' },
  };
  const { script } = revert!(undefined as never, want, before) as Script;
  expect(script.match(/printf '%s\\n' \d+ >\S+/g)).toEqual([
    "printf '%s\\n' 60 >/proc/sys/vm/swappiness",
    "printf '%s\\n' 0 >/proc/sys/net/ipv4/ip_forward",
  ]);
});

test('says what it owns, under one name', () => {
  expect(owns!({ values: { 'net/ipv4/ip_forward': 1 } })).toEqual(['sysctl:net.ipv4.ip_forward']);
});
