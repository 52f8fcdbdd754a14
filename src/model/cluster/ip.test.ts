import { BlockList, isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addressKind,
  contains,
  dualStack,
  families,
  formatCidr,
  formatIp,
  nthAddress,
  overlaps,
  parseCidr,
  parseIp,
} from './ip.ts';

const ip = (text: string) => parseIp(text)!;
const cidr = (text: string) => parseCidr(text)!;

test('addresses are read and written like Node does', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string({ maxLength: 20 })), (text) => {
      const parsed = parseIp(text);
      const known = isIPv4(text) || (isIPv6(text) && !text.includes('%'));
      expect(parsed !== undefined).toBe(known);
      if (parsed !== undefined) expect(parseIp(formatIp(parsed))).toEqual(parsed);
    }),
  );
});

test.each([
  ['2022:0:0:0:0:0:0:2', '2022::2'],
  ['0:0:0:0:0:0:0:0', '::'],
  ['::1', '::1'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
  ['FD85::ABCD', 'fd85::abcd'],
  ['::ffff:1.2.3.4', '::ffff:102:304'],
])('%s is written %s', (text, short) => {
  expect(formatIp(ip(text))).toBe(short);
});

test.each([
  '',
  '1.2.3',
  '1.2.3.256',
  '01.2.3.4',
  '1.2.3.4.5',
  ':::',
  '1::2::3',
  '12345::',
  'g::',
  '::1%eth0',
  '[::1]',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7::8:9',
  '1.2.3.4::',
  ' 1.2.3.4',
])('"%s" is no address', (text) => {
  expect(parseIp(text)).toBeUndefined();
});

test('networks contain what Node says they contain', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), fc.ipV4(), (network, prefix, address) => {
      const list = new BlockList();
      list.addSubnet(network, prefix, 'ipv4');
      expect(contains(cidr(`${network}/${prefix}`), ip(address))).toBe(list.check(address, 'ipv4'));
    }),
  );
});

test('networks', () => {
  expect(formatCidr(cidr('10.233.64.1/18'))).toBe('10.233.64.0/18');
  expect(cidr('10.233.64.1/18').hostBits).toBe(true);
  expect(cidr('fd85:ee78:d8a6:8607::1:0000/112').hostBits).toBe(false);
  for (const wrong of ['10.0.0.0', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/08', '/8', 'a/8']) {
    expect(parseCidr(wrong)).toBeUndefined();
  }
});

test('overlap is symmetric and knows families', () => {
  expect(overlaps(cidr('10.0.0.0/8'), cidr('10.233.0.0/18'))).toBe(true);
  expect(overlaps(cidr('10.233.0.0/18'), cidr('10.0.0.0/8'))).toBe(true);
  expect(overlaps(cidr('10.233.0.0/18'), cidr('10.233.64.0/18'))).toBe(false);
  expect(overlaps(cidr('0.0.0.0/0'), cidr('::/0'))).toBe(false);
  // The networks of seed 002 look alike, but do not overlap.
  expect(overlaps(cidr('fd85:ee78:d8a6:8607::1:0000/112'), cidr('fd85:ee78:d8a6:8607::1000/116'))).toBe(false);
});

test('kinds of addresses', () => {
  expect(['172.16.0.2', '2022::2', 'fd00::1'].map((text) => addressKind(ip(text)))).toEqual([
    'usable',
    'usable',
    'usable',
  ]);
  expect(['127.0.0.1', '127.9.9.9', '::1'].map((text) => addressKind(ip(text)))).toEqual([
    'loopback',
    'loopback',
    'loopback',
  ]);
  for (const text of ['0.0.0.0', '169.254.1.1', '224.0.0.1', '255.255.255.255', '::', 'fe80::1', 'ff02::1']) {
    expect(addressKind(ip(text))).toBe('unusable');
  }
});

test('families keep their order', () => {
  const value = dualStack([
    { family: 6, text: '2022::2' },
    { family: 4, text: '172.16.0.2' },
  ]);
  expect(value).toEqual({ list: ['2022::2', '172.16.0.2'], ipv4: '172.16.0.2', ipv6: '2022::2' });
  expect(families(value)).toBe('6,4');
});

test.each([
  ['10.96.0.0/12', 10n, '10.96.0.10'],
  ['10.233.0.0/18', 1n, '10.233.0.1'],
  ['fd85::/112', 10n, 'fd85::a'],
])('of %s the address %d is %s', (network, n, address) => {
  expect(nthAddress(network, n)).toBe(address);
});
