import { z } from 'zod';
import { KEY_ALGORITHMS } from '../key-algorithm.ts';
import { choice, int, line, section } from './field.ts';

const authority = z.strictObject({
  caFile: line().describe(
    'CA certificate in PEM, on the machine kubexm runs on, relative to the directory of this file. An intermediate CA is followed by those above it, up to the root.',
  ),
  keyFile: line().describe('Private key of the CA in PEM, not encrypted.'),
});

/** `spec.pki`. */
export const pkiSchema = section({
  keyAlgorithm: choice(KEY_ALGORITHMS)
    .default('ecdsa-p256')
    .describe('Kind of the keys that kubexm makes. CAs and keys that exist stay as they are.'),
  ca: authority.optional().describe('An existing CA of the cluster. Default: one is made.'),
  etcd: authority.optional().describe('An existing CA of etcd. Default: one is made.'),
  frontProxy: authority.optional().describe('An existing CA of aggregated API servers. Default: one is made.'),
  validity: section({
    caDays: int(1, 36_500).default(3650).describe('Days that a CA made by kubexm is valid.'),
    certificateDays: int(1, 36_500)
      .default(365)
      .describe('Days that a certificate is valid; it ends with its CA at the latest.'),
    renewBeforeDays: int(1, 3650).default(30).describe('A certificate with fewer days left is renewed.'),
  }).describe('How long certificates are valid.'),
}).describe('CAs, certificates and keys.');
