import { expect, test } from 'vitest';
import { addressIn, addressIn6, chooseSubnet, overlapping, parseSubnet, subnet6 } from './subnet.ts';

test.each([
  ['10.88.7.0/24', '10.88.7.0/24'],
  ['192.168.5.0/24', '192.168.5.0/24'],
  ['10.88.7.1/24', undefined],
  ['10.88.0.0/16', undefined],
  ['fd00::/24', undefined],
  ['10.88.7.0', undefined],
  ['x', undefined],
])('%s as a network: %s', (text, subnet) => {
  expect(parseSubnet(text)).toBe(subnet);
});

test.each([
  ['10.88.7.0/24', ['10.88.8.0/24', '192.0.2.0/24'], undefined],
  ['10.88.7.0/24', ['10.88.0.0/16'], '10.88.0.0/16'],
  ['10.88.7.0/24', ['10.0.0.0/8'], '10.0.0.0/8'],
  ['10.88.7.0/24', ['10.88.7.9/32'], '10.88.7.9/32'],
  ['10.88.7.0/24', ['10.88.6.255/32', '10.88.8.0/32'], undefined],
  ['10.88.7.0/24', ['fd00::/8', 'nonsense'], undefined],
])('%s beside %j', (subnet, taken, found) => {
  expect(overlapping(subnet, taken)).toBe(found);
});

test('the same lab gets the same network, another one if it is taken', () => {
  const first = chooseSubnet('t', [])!;
  expect(first).toMatch(/^10\.88\.\d+\.0\/24$/);
  expect(chooseSubnet('t', ['192.0.2.0/24'])).toBe(first);
  const second = chooseSubnet('t', [first])!;
  expect(second).not.toBe(first);
  expect(overlapping(second, [first])).toBeUndefined();
});

test('all free networks are found before it gives up', () => {
  const taken: string[] = [];
  for (let one = chooseSubnet('t', taken); one !== undefined; one = chooseSubnet('t', taken)) taken.push(one);
  expect(new Set(taken).size).toBe(256);
  expect(chooseSubnet('t', ['10.0.0.0/8'])).toBeUndefined();
});

test('addresses', () => {
  expect([0, 1, 250].map((index) => addressIn('10.88.7.0/24', index))).toEqual([
    '10.88.7.1',
    '10.88.7.4',
    '10.88.7.253',
  ]);
  const network = subnet6('a1b2c3');
  expect(network).toBe('fda1:b2c3:6b78::/64');
  expect([0, 1, 250].map((index) => addressIn6(network, index))).toEqual([
    'fda1:b2c3:6b78::1',
    'fda1:b2c3:6b78::4',
    'fda1:b2c3:6b78::fd',
  ]);
});
