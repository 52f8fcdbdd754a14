import type { Path } from '../tree.ts';
import { type Rule, rule } from './rule.ts';

const PKI = 'spec.pki';
const at = (...keys: readonly string[]): Path => ['spec', 'pki', ...keys];

const validity = rule([`${PKI}.validity`, `${PKI}.ca`], ({ cluster, isSet, report }) => {
  const { caDays, certificateDays: days, renewBeforeDays: before } = cluster.spec.pki.validity;
  const place = (key: string): Path => (isSet(`${PKI}.validity.${key}`) ? at('validity', key) : at('validity'));
  if (before >= days) report('KX2741', { days, before }, place('renewBeforeDays'), place('certificateDays'));
  if (days > caDays) report('KX2742', { days, ca: caDays }, place('certificateDays'), place('caDays'));
});

const separate = rule([`${PKI}.ca`, `${PKI}.etcd`, `${PKI}.frontProxy`], ({ cluster, report }) => {
  const { pki } = cluster.spec;
  const names = (['ca', 'etcd', 'frontProxy'] as const).filter((name) => pki[name] !== undefined);
  names.forEach((other, i) => {
    const one = names.slice(0, i).find((name) => pki[name]?.caFile === pki[other]?.caFile);
    if (one !== undefined) report('KX2743', { one, other }, at(other, 'caFile'), at(one, 'caFile'));
  });
});

const external = rule([`${PKI}.etcd`, 'spec.etcd.type'], ({ cluster, report }) => {
  const { etcd, pki } = cluster.spec;
  if (etcd.type === 'external' && pki.etcd !== undefined) report('KX2744', {}, at('etcd'), ['spec', 'etcd', 'type']);
});

const installer = rule([`${PKI}.ca`, `${PKI}.frontProxy`, 'spec.kubernetes.type'], ({ cluster, report }) => {
  const { kubernetes, pki } = cluster.spec;
  if (kubernetes.type !== 'kubeadm') return;
  for (const name of ['ca', 'frontProxy'] as const)
    if (pki[name] !== undefined) report('KX2745', { name }, at(name), ['spec', 'kubernetes', 'type']);
});

/** Rules over CAs and certificates. */
export const pkiRules: readonly Rule[] = [validity, separate, external, installer];
