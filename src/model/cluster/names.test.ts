import { expect, test } from 'vitest';
import { parseHostsText } from './hosts-text.ts';
import {
  isDnsLabel,
  isDomain,
  isLabelKey,
  isLabelValue,
  isNodeName,
  isPackageName,
  isRegistryHost,
  suggestNodeName,
} from './names.ts';
import { nearest } from './nearest.ts';
import { isTimeZone, suggestTimeZone } from './time-zone.ts';

test.each([
  [isDnsLabel, ['a', 'a-1', 'x'.repeat(63)], ['', '-a', 'a-', 'A', 'a.b', 'a_b', 'x'.repeat(64)]],
  [isNodeName, ['node1', 'node1.example.com', '1'], ['', 'Node', 'a..b', '.a', 'a_b', 'x'.repeat(64)]],
  [isDomain, ['lb.kubesphere.local', 'a'], ['', '1.2.3.4', 'https://a', 'a:80', 'A.b', 'a b']],
  [
    isLabelKey,
    ['disk', 'example.com/disk', 'node-role.kubernetes.io/x_y.z'],
    ['', '/a', 'a/', 'a/b/c', '-a', 'Ex/a', 'a b'],
  ],
  [isLabelValue, ['', 'SSD', 'a_b.c-d', 'x'.repeat(63)], ['a b', '-a', 'a-', 'x'.repeat(64), 'ä']],
  [
    isRegistryHost,
    ['dockerhub.kubexm.local', 'r:5000', '10.0.0.1:5000', '[::1]:5000'],
    ['', 'https://r', 'r/x', 'r:0', 'r:99999', 'r:'],
  ],
  [isPackageName, ['nfs-utils', 'libstdc++6', 'python3.11', 'foo:amd64'], ['', '-x', 'a b', 'a;b', '$(x)']],
])('%o', (check, good, bad) => {
  for (const text of good) expect(check(text), text).toBe(true);
  for (const text of bad) expect(check(text), text).toBe(false);
});

test('suggestions for host names', () => {
  expect(suggestNodeName('Node_1')).toBe('node-1');
  expect(suggestNodeName('--Web Server--')).toBe('web-server');
  expect(suggestNodeName('主机')).toBe('node1');
});

test('the nearest word', () => {
  expect(nearest('adress', ['name', 'address', 'port'])).toBe('address');
  expect(nearest('internalLoadBalancer', ['internalLoadbalancer'])).toBe('internalLoadbalancer');
  expect(nearest('naem', ['name', 'user'])).toBe('name');
  expect(nearest('xyzzy', ['name', 'user'])).toBeUndefined();
  expect(nearest('x'.repeat(100_000), ['name'])).toBeUndefined();
});

test('time zones', () => {
  for (const zone of [
    'Asia/Shanghai',
    'UTC',
    'Europe/Berlin',
    'America/Argentina/Buenos_Aires',
    'Asia/Calcutta',
    'Etc/GMT+8',
  ]) {
    expect(isTimeZone(zone), zone).toBe(true);
  }
  expect(suggestTimeZone('Asia/Beijing')).toBe('Asia/Shanghai');
  expect(suggestTimeZone('Shanghai')).toBe('Asia/Shanghai');
  expect(suggestTimeZone('asia/shanghai')).toBe('Asia/Shanghai');
  expect(suggestTimeZone('+08:00')).toBe('Etc/GMT-8');
  expect(suggestTimeZone('UTC-5')).toBe('Etc/GMT+5');
  expect(suggestTimeZone('Mars/Olympus')).toBeUndefined();
  expect(suggestTimeZone('CST')).toBe('Asia/Shanghai');
});

test('text of /etc/hosts, also when YAML has folded its lines', () => {
  expect(parseHostsText('192.168.1.100 bhy.example.com')).toEqual({
    entries: [{ address: '192.168.1.100', domain: 'bhy.example.com' }],
    wrong: [],
  });
  expect(parseHostsText('10.0.0.1 a.example A2.example 10.0.0.2 b.example # c\n2022::2 d').entries).toEqual([
    { address: '10.0.0.1', domain: 'a.example' },
    { address: '10.0.0.1', domain: 'a2.example' },
    { address: '10.0.0.2', domain: 'b.example' },
    { address: '2022::2', domain: 'd' },
  ]);
  expect(parseHostsText('10.0.0.1\nname 10.0.0.2 a_b').wrong).toEqual(['10.0.0.1', 'name', 'a_b', '10.0.0.2']);
});
