import { join } from 'node:path';
import type { Cluster } from '../../model/cluster/index.ts';
import type { Ref, Wanted } from '../../plan/ref.ts';
import { dedicated } from '../../plan/step.ts';
import {
  type Authority,
  type Certified,
  certificate,
  certificateAuthority,
  clientKubeconfig,
  directory,
  type Kept,
  keyPair,
  symlink,
  uploads,
} from '../generic/index.ts';
import { BINARY, type KubeconfigUser, kubeconfigOf } from './places.ts';

export type { Authority, Certified, Kept } from '../generic/index.ts';

/** What all certificates of a cluster are made by. */
export interface BinaryPki {
  readonly workDir: string;
  readonly pki: Cluster['spec']['pki'];
}

/** Who signs: the cluster's CA, or that of the proxy in front of aggregated API servers. */
export type AuthorityName = 'ca' | 'frontProxy';

const directoryOf = (workDir: string, name: AuthorityName = 'ca'): string =>
  join(workDir, 'certs', name === 'ca' ? 'kubernetes' : 'front-proxy');

const COMMON_NAMES: Readonly<Record<AuthorityName, string>> = { ca: 'kubernetes-ca', frontProxy: 'front-proxy-ca' };

/** A CA of the cluster. That of etcd is another one: no client of the API is one of etcd. */
export const kubernetesAuthority = dedicated(
  'ca',
  certificateAuthority,
  'A CA of the cluster, made once or brought by the user.',
  ({ workDir, pki, name }: BinaryPki & { readonly name: AuthorityName }) =>
    certificateAuthority({
      directory: directoryOf(workDir, name),
      commonName: COMMON_NAMES[name],
      keyAlgorithm: pki.keyAlgorithm,
      validityDays: pki.validity.caDays,
      ...(pki[name] === undefined ? {} : { from: pki[name] }),
    }),
);

/** The keys that sign the tokens of service accounts: not those of the CA, so that a new CA ends no token. */
export const serviceAccountKeys = dedicated(
  'service-accounts',
  keyPair,
  'The keys that sign the tokens of service accounts.',
  ({ workDir, pki }: BinaryPki) =>
    keyPair({ directory: directoryOf(workDir), name: 'sa', keyAlgorithm: pki.keyAlgorithm }),
);

/** A certificate of the cluster. */
export interface KubernetesCertificate extends BinaryPki {
  readonly name: string;
  readonly authority?: AuthorityName;
  readonly issuer: Ref<Authority>;
  readonly commonName: string;
  readonly organization?: string;
}

/** A certificate of somebody who asks a server of the cluster. */
export const kubernetesClient = dedicated(
  'client-certificate',
  certificate,
  'A certificate for a client of the cluster.',
  (params: KubernetesCertificate) => certificate({ ...issuedBy(params), names: [], addresses: [], usages: ['client'] }),
);

/** The certificate of a server of the cluster: an API server or a kubelet. */
export const kubernetesServer = dedicated(
  'server-certificate',
  certificate,
  'The certificate of a server of the cluster.',
  ({
    names,
    addresses,
    ...params
  }: KubernetesCertificate & { readonly names: readonly string[]; readonly addresses: readonly string[] }) =>
    certificate({ ...issuedBy(params), names, addresses, usages: ['server'] }),
);

function issuedBy({ workDir, pki, name, authority, issuer, commonName, organization }: KubernetesCertificate) {
  return {
    directory: directoryOf(workDir, authority),
    name,
    issuer,
    subject: { commonName, ...(organization === undefined ? {} : { organizations: [organization] }) },
    keyAlgorithm: pki.keyAlgorithm,
    validityDays: pki.validity.certificateDays,
    renewBeforeDays: pki.validity.renewBeforeDays,
  };
}

/** A kubeconfig on this machine, with a certificate inside. */
export const kubernetesKubeconfig = dedicated(
  'kubeconfig',
  clientKubeconfig,
  'A kubeconfig for a program or an administrator of the cluster.',
  ({
    workDir,
    name,
    ...params
  }: {
    readonly workDir: string;
    readonly name: string;
    readonly cluster: string;
    readonly server: string;
    readonly user: string;
    readonly certificate: Ref<Certified>;
  }) => clientKubeconfig({ ...params, path: join(directoryOf(workDir), `${name}.kubeconfig`) }),
);

/** A directory for secrets of Kubernetes. */
export const secretsDirectory = dedicated(
  'directory',
  directory,
  'A directory for keys or kubeconfigs, for root alone.',
  ({ path }: { readonly path: string }) => directory({ path, mode: '0700', owner: 'root:root' }),
);

/** Certificates, keys or kubeconfigs on a host. */
export const placedSecrets = dedicated(
  'secrets',
  uploads,
  'Certificates, keys or kubeconfigs on the host, for root alone.',
  (params: { readonly directory: string; readonly files: Readonly<Record<string, Wanted<Kept>>> }) =>
    uploads({ ...params, mode: '0600', owner: 'root:root' }),
);

/** A kubeconfig where kubeadm would have put it: there people and tools look for it. */
export const usualKubeconfig = dedicated(
  'usual-kubeconfig',
  symlink,
  'A link to a kubeconfig, where people and tools look for it.',
  ({ user }: { readonly user: KubeconfigUser }) =>
    symlink({ path: `${BINARY.directory}/${user}.conf`, target: kubeconfigOf(user) }),
);
