import { z } from 'zod';
import { alias, list, marked, oneOrMany, section } from './field.ts';
import { domain, ipAddress } from './text.ts';

const resolver = marked(z.strictObject({ address: ipAddress().describe('Address of the DNS server.') }), {
  shorthand: 'address',
});

/** `spec.extra`. */
export const extraSchema = section({
  hosts: list(
    z.strictObject({
      domain: domain().describe('A name.'),
      address: ipAddress().describe('Its address.'),
    }),
  ).describe('More entries of /etc/hosts on all machines.'),
  resolves: alias(oneOrMany(resolver).default([]), 'etcdresolve', 'etcdResolve', 'etcdresolves').describe(
    'DNS servers to add on all machines.',
  ),
}).describe('More names for all machines.');
