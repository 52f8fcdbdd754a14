/** Who a certificate is for: Kubernetes takes `commonName` as the user and `organizations` as the groups. */
export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

/** What a certificate may be used for. */
export type Usage = 'server' | 'client';

/** The object identifiers of usages. */
export const USAGE_OIDS: Readonly<Record<Usage, string>> = {
  server: '1.3.6.1.5.5.7.3.1',
  client: '1.3.6.1.5.5.7.3.2',
};

/** What a certificate says. */
export interface CertificateSpec {
  readonly subject: Subject;
  /** DNS names, also `*.example.org`. */
  readonly names?: readonly string[];
  /** IP addresses. */
  readonly addresses?: readonly string[];
  readonly usages: readonly Usage[];
}
