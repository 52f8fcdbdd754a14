import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { makeAuthority, makeCertificate } from '../../src/pki/index.ts';
import {
  certificate,
  certificateAuthority,
  clientKubeconfig,
  encryptionConfig,
  keyPair,
} from '../../src/step/generic/index.ts';
import { digestOf, put, type StateCase } from './case.ts';

const settings = { keyAlgorithm: 'ecdsa-p256', validityDays: 3650 } as const;
const ca = await makeAuthority({ subject: { commonName: 'contract-ca' }, ...settings }, new Date());
const other = await makeCertificate(
  ca,
  { subject: { commonName: 'member' }, names: ['other'], usages: ['server'], ...settings },
  new Date(),
);

function putAuthority(directory: string): void {
  put(join(directory, 'ca.key'), ca.key, 0o600);
  put(join(directory, 'ca.crt'), ca.certificate, 0o600);
}

function authorityIn(directory: string) {
  const kept = (name: string) => ({ path: join(directory, name), sha256: digestOf(join(directory, name)) });
  return { certificate: kept('ca.crt'), key: kept('ca.key'), chain: kept('ca.crt') };
}

function member(tree: string, work: string) {
  return {
    directory: tree,
    name: 'member',
    issuer: authorityIn(work),
    subject: { commonName: 'member' },
    names: ['member'],
    addresses: ['::1'],
    usages: ['server', 'client'],
  };
}

function expectPrivate(path: string): void {
  const mode = statSync(path).mode & 0o777;
  if (mode !== 0o600) throw new Error(`${path} has mode ${mode.toString(8)}`);
}

function expectSigned(authority: string, path: string): void {
  const purpose = ['-purpose', 'sslserver'];
  execFileSync('openssl', ['verify', '-x509_strict', ...purpose, '-CAfile', authority, path], { stdio: 'pipe' });
}

/** Situations of CAs, certificates and keys in the work directory. */
export const certificateCases: readonly StateCase[] = [
  {
    name: 'new',
    step: certificateAuthority.definition,
    want: (t) => ({ directory: t, commonName: 'etcd-ca' }),
    after: (t) => expectPrivate(join(t, 'ca.key')),
  },
  {
    name: 'with the key that a killed run left',
    step: certificateAuthority.definition,
    before: (t, w) => {
      put(join(t, 'ca.key'), ca.key, 0o600);
      putAuthority(w);
    },
    want: (t) => ({ directory: t, commonName: 'etcd-ca' }),
    after: (t) => {
      if (digestOf(join(t, 'ca.key')) !== digestOf(join(t, '..', 'work', 'ca.key')))
        throw new Error('the key was not used');
    },
  },
  {
    name: 'whose key others can read',
    step: certificateAuthority.definition,
    before: (t) => {
      putAuthority(t);
      put(join(t, 'ca.key'), ca.key, 0o644);
    },
    want: (t) => ({ directory: t, commonName: 'etcd-ca' }),
    after: (t) => expectPrivate(join(t, 'ca.key')),
  },
  {
    name: 'of the user',
    step: certificateAuthority.definition,
    before: (_t, w) => putAuthority(w),
    want: (t, w) => ({
      directory: t,
      commonName: 'etcd-ca',
      from: { caFile: join(w, 'ca.crt'), keyFile: join(w, 'ca.key') },
    }),
    after: (t) => expectPrivate(join(t, 'ca.key')),
  },
  {
    name: 'new',
    step: certificate.definition,
    needs: ['openssl'],
    before: (_t, w) => putAuthority(w),
    want: member,
    after: (t) => {
      expectPrivate(join(t, 'member.key'));
      expectSigned(join(t, '..', 'work', 'ca.crt'), join(t, 'member.crt'));
    },
  },
  {
    name: 'over one with other names',
    step: certificate.definition,
    before: (t, w) => {
      putAuthority(w);
      put(join(t, 'member.key'), other.key, 0o600);
      put(join(t, 'member.crt'), other.certificate, 0o640);
    },
    want: member,
  },
  {
    name: 'with a key that a killed run left',
    step: certificate.definition,
    before: (t, w) => {
      putAuthority(w);
      put(join(t, 'member.key'), other.key, 0o600);
    },
    want: member,
  },
  {
    name: 'over another',
    step: clientKubeconfig.definition,
    before: (t, w) => {
      putAuthority(w);
      put(join(t, 'admin.conf'), 'old', 0o644);
    },
    want: (t, w) => {
      const { certificate: ca, key } = authorityIn(w);
      return {
        path: join(t, 'admin.conf'),
        cluster: 'lab',
        server: 'https://lb.kubexm.local:6443',
        user: 'admin',
        certificate: { certificate: ca, key, ca },
      };
    },
    after: (t) => expectPrivate(join(t, 'admin.conf')),
  },
  {
    name: 'with a new key',
    step: encryptionConfig.definition,
    want: (t) => ({ path: join(t, 'encryption.yaml'), provider: 'aescbc', resources: ['secrets'] }),
    after: (t) => expectPrivate(join(t, 'encryption.yaml')),
  },
  {
    name: 'new',
    step: keyPair.definition,
    want: (t) => ({ directory: t, name: 'sa', keyAlgorithm: 'rsa-2048' }),
    after: (t) => expectPrivate(join(t, 'sa.key')),
  },
  {
    name: 'without its public half',
    step: keyPair.definition,
    before: (t) => put(join(t, 'sa.key'), other.key, 0o600),
    want: (t) => ({ directory: t, name: 'sa' }),
    after: (t) => {
      const key = execFileSync('openssl', ['pkey', '-in', join(t, 'sa.key'), '-pubout']).toString();
      put(join(t, '..', 'work', 'sa.pub'), key);
      if (digestOf(join(t, 'sa.pub')) !== digestOf(join(t, '..', 'work', 'sa.pub'))) throw new Error('another key');
    },
    needs: ['openssl'],
  },
];
