import type { ErrorEntry } from './entry.ts';

/** KX274x: CAs and certificates. */
export const configPkiErrors = {
  KX2741: {
    exit: 3,
    title: {
      en: 'certificates are valid for {days} days, but are renewed {before} days before they end',
      zh: '证书有效期为 {days} 天，却在到期前 {before} 天更新',
    },
    remedy: {
      en: 'Set pki.validity.renewBeforeDays to less than pki.validity.certificateDays: a third of it is usual.',
      zh: '请使 pki.validity.renewBeforeDays 小于 pki.validity.certificateDays：通常为其三分之一。',
    },
  },
  KX2742: {
    exit: 3,
    title: {
      en: 'certificates are valid for {days} days, but their CA only for {ca}',
      zh: '证书有效期为 {days} 天，而其 CA 仅为 {ca} 天',
    },
    remedy: {
      en: 'Set pki.validity.caDays to more than pki.validity.certificateDays: a certificate ends with its CA.',
      zh: '请使 pki.validity.caDays 大于 pki.validity.certificateDays：证书随其 CA 一同到期。',
    },
  },
  KX2743: {
    exit: 3,
    title: { en: 'pki.{one} and pki.{other} use the same CA', zh: 'pki.{one} 与 pki.{other} 使用同一个 CA' },
    remedy: {
      en: 'Use a CA of its own for each: with a common one, the certificate of any node would open etcd or pass for the front proxy.',
      zh: '请分别使用各自的 CA：共用时，任一节点的证书都能访问 etcd 或冒充前端代理。',
    },
  },
  KX2744: {
    exit: 3,
    title: { en: 'pki.etcd is set, but etcd is external', zh: '设置了 pki.etcd，但 etcd 为 external' },
    remedy: {
      en: 'Remove pki.etcd: the CA of an etcd that exists is etcd.external.caFile.',
      zh: '请删除 pki.etcd：已有 etcd 的 CA 由 etcd.external.caFile 指定。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
