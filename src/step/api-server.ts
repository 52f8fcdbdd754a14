import { join } from 'node:path';
import { AUDIT_LOG } from '../component/kubernetes.ts';
import type { Cluster } from '../model/cluster/index.ts';
import type { JsonObject } from '../model/json.ts';
import type { Wanted } from '../plan/ref.ts';
import { dedicated } from '../plan/step.ts';
import { checksum, directory, encryptionConfig, file, type Kept, upload } from './generic/index.ts';
import type { Flag, HostFile } from './kubeadm/config.ts';

export type { Kept } from './generic/index.ts';

type Kubernetes = Cluster['spec']['kubernetes'];

/** The files of masters that API servers read or write besides their certificates, with kubeadm and without. */
export const API_SERVER = {
  audit: '/etc/kubernetes/audit',
  policy: '/etc/kubernetes/audit/policy.yaml',
  log: '/var/log/kubernetes',
  auditLog: AUDIT_LOG,
  encryption: '/etc/kubernetes/encryption',
  encryptionConfig: '/etc/kubernetes/encryption/config.yaml',
} as const;

/** The flags of an audit log and of encryption. */
export function storageFlags({ audit, encryption }: Kubernetes): readonly Flag[] {
  const flag = (name: string, value: string): Flag => ({ name, value });
  return [
    ...(audit.enabled
      ? [
          flag('audit-policy-file', API_SERVER.policy),
          flag('audit-log-path', `${API_SERVER.auditLog}/audit.log`),
          flag('audit-log-maxage', '30'),
          flag('audit-log-maxbackup', '10'),
          flag('audit-log-maxsize', '100'),
        ]
      : []),
    ...(encryption.enabled ? [flag('encryption-provider-config', API_SERVER.encryptionConfig)] : []),
  ];
}

/** What the static pod of an API server has to see of its host for these flags. */
export function storageFiles({ audit, encryption }: Kubernetes): readonly HostFile[] {
  return [
    ...(audit.enabled
      ? [
          { name: 'audit', path: API_SERVER.audit, readOnly: true },
          { name: 'audit-log', path: API_SERVER.auditLog, readOnly: false },
        ]
      : []),
    ...(encryption.enabled ? [{ name: 'encryption', path: API_SERVER.encryption, readOnly: true }] : []),
  ];
}

/** A directory of API servers, for root alone. */
export const apiServerDirectory = dedicated(
  'directory',
  directory,
  'A directory for what API servers read or write, for root alone.',
  ({ path }: { readonly path: string }) => directory({ path, mode: '0700', owner: 'root:root' }),
);

/** Who did what, without what was sent and answered. What every node says every few seconds, and health, is left out. */
const METADATA: JsonObject = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', nonResourceURLs: ['/healthz*', '/livez*', '/readyz*', '/version'] },
    { level: 'None', resources: [{ group: 'coordination.k8s.io', resources: ['leases'] }] },
    { level: 'None', resources: [{ group: '', resources: ['events'] }] },
    { level: 'Metadata' },
  ],
};

/** The policy of the audit log: who did what. */
export const auditPolicy = dedicated('audit-policy', file, 'The policy of the audit log: who did what.', (_: object) =>
  file({ path: API_SERVER.policy, content: { yaml: METADATA }, mode: '0600', owner: 'root:root' }),
);

/** A policy of the user's own. */
export const ownAuditPolicy = dedicated(
  'own-audit-policy',
  checksum,
  'The policy of the audit log that the user has.',
  ({ path }: { readonly path: string }) => checksum({ path, algorithm: 'sha256' }),
);

/** A file for API servers. */
export const apiServerFile = dedicated(
  'file',
  upload,
  'A file that API servers read, for root alone.',
  ({ source, path }: { readonly source: Wanted<Kept>; readonly path: string }) =>
    upload({ source, path, mode: '0600', owner: 'root:root' }),
);

/** How secrets are encrypted before etcd has them. */
export const encryptionAtRest = dedicated(
  'encryption',
  encryptionConfig,
  'How API servers encrypt what they store, with a key that is made once.',
  ({ workDir, encryption }: { readonly workDir: string; readonly encryption: Kubernetes['encryption'] }) =>
    encryptionConfig({
      path: join(workDir, 'certs', 'kubernetes', 'encryption.yaml'),
      provider: encryption.provider,
      resources: encryption.resources,
    }),
);
