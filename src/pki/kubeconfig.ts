import { stringify } from 'yaml';

/** What a kubeconfig says: one cluster, one user, one context. */
export interface KubeconfigSpec {
  readonly cluster: string;
  /** `https://lb.kubexm.local:6443` */
  readonly server: string;
  /** CAs that may have signed the server's certificate, in PEM. */
  readonly authorities: string;
  readonly user: string;
  /** The user's certificate and those that are sent behind it, in PEM. */
  readonly certificate: string;
  readonly key: string;
}

/** A kubeconfig with its certificates and key inside: a secret, to be kept with mode 0600. */
export function kubeconfigText(spec: KubeconfigSpec): string {
  const context = `${spec.user}@${spec.cluster}`;
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: spec.cluster,
          cluster: { 'certificate-authority-data': base64(spec.authorities), server: spec.server },
        },
      ],
      users: [
        {
          name: spec.user,
          user: { 'client-certificate-data': base64(spec.certificate), 'client-key-data': base64(spec.key) },
        },
      ],
      contexts: [{ name: context, context: { cluster: spec.cluster, user: spec.user } }],
      'current-context': context,
      preferences: {},
    },
    { lineWidth: 0 },
  );
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
