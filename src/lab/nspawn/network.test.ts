import { expect, test } from 'vitest';
import { networksOf } from './network.ts';

test('routes and addresses take networks, a default route and broadcasts do not', () => {
  const routes = [
    { dst: 'default' },
    { dst: '10.88.3.0/24' },
    { dst: '192.0.2.7' },
    { type: 'local', dst: '127.0.0.0/8' },
    { type: 'broadcast', dst: '10.9.9.255' },
    { type: 'blackhole', dst: '172.16.0.0/12' },
  ];
  const addresses = [{ addr_info: [{ local: '10.88.3.1', prefixlen: 24 }] }, {}];
  expect(networksOf(routes, addresses)).toEqual([
    '10.88.3.0/24',
    '192.0.2.7/32',
    '127.0.0.0/8',
    '172.16.0.0/12',
    '10.88.3.1/24',
  ]);
});
