import { join } from 'node:path';
import type { Cluster } from '../../model/cluster/index.ts';
import type { Ref, Wanted } from '../../plan/ref.ts';
import { dedicated } from '../../plan/step.ts';
import { type Authority, certificate, certificateAuthority, checksum, type Kept, uploads } from '../generic/index.ts';
import { ETCD } from './places.ts';

export type { Authority, Certified, Kept } from '../generic/index.ts';

/** Where the certificates of etcd lie on the machine kubexm runs on. */
const certificatesIn = (workDir: string): string => join(workDir, 'certs', 'etcd');

/** What all certificates of a cluster are made by. */
export interface EtcdPki {
  readonly workDir: string;
  readonly pki: Cluster['spec']['pki'];
}

/** The CA of etcd: its own, so that no client of the API is one of etcd. */
export const etcdAuthority = dedicated(
  'ca',
  certificateAuthority,
  'The CA of etcd, made once or brought by the user.',
  ({ workDir, pki }: EtcdPki) =>
    certificateAuthority({
      directory: certificatesIn(workDir),
      commonName: 'etcd-ca',
      keyAlgorithm: pki.keyAlgorithm,
      validityDays: pki.validity.caDays,
      ...(pki.etcd === undefined ? {} : { from: pki.etcd }),
    }),
);

/** A certificate of etcd. */
interface EtcdCertificate extends EtcdPki {
  readonly name: string;
  readonly issuer: Ref<Authority>;
}

/** The certificate of a member: for its clients, and for the other members. */
export const memberCertificate = dedicated(
  'member-certificate',
  certificate,
  'The certificate of a member of etcd, as a server and towards other members.',
  ({
    member,
    addresses,
    ...common
  }: EtcdCertificate & { readonly member: string; readonly addresses: readonly string[] }) =>
    certificate({
      ...issuedBy(common),
      subject: { commonName: member },
      names: [member, 'localhost'],
      addresses: [...addresses, '127.0.0.1', '::1'],
      usages: ['server', 'client'],
    }),
);

/** A certificate of somebody who asks etcd. */
export const clientCertificate = dedicated(
  'client-certificate',
  certificate,
  'A certificate for a client of etcd.',
  ({ commonName, ...common }: EtcdCertificate & { readonly commonName: string }) =>
    certificate({
      ...issuedBy(common),
      subject: { commonName },
      names: [],
      addresses: [],
      usages: ['client'],
    }),
);

function issuedBy({ workDir, pki, name, issuer }: EtcdCertificate) {
  return {
    directory: certificatesIn(workDir),
    name,
    issuer,
    keyAlgorithm: pki.keyAlgorithm,
    validityDays: pki.validity.certificateDays,
    renewBeforeDays: pki.validity.renewBeforeDays,
  };
}

/** A file of the user's, by which an etcd that exists is reached. */
export const externalFile = dedicated(
  'external-file',
  checksum,
  'A certificate or key by which an etcd that exists is reached.',
  ({ path }: { readonly path: string }) => checksum({ path, algorithm: 'sha256' }),
);

/** Certificates on a host. */
export const etcdCertificates = dedicated(
  'certificates',
  uploads,
  'Certificates and keys of etcd on the host.',
  ({
    files,
    owner,
    mode,
  }: {
    readonly files: Readonly<Record<string, Wanted<Kept>>>;
    readonly owner: string;
    readonly mode: string;
  }) => uploads({ directory: ETCD.ssl, files, mode, owner }),
);
