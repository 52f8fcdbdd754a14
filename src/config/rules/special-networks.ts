import { type Cidr, overlaps, parseCidr } from '../../model/cluster/ip.ts';
import { type Rule, rule } from './rule.ts';

const FIELDS = ['kubePodsCIDR', 'kubeServiceCIDR'] as const;

/** Networks whose addresses no router passes on, or that kernels treat in their own way. */
const SPECIAL: readonly { readonly text: string; readonly cidr: Cidr }[] = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/127',
  '::ffff:0:0/96',
  '64:ff9b::/96',
  'fe80::/10',
  'ff00::/8',
].flatMap((text) => {
  const cidr = parseCidr(text);
  return cidr === undefined ? [] : [{ text, cidr }];
});

const special = FIELDS.map((field) =>
  rule([`spec.network.${field}`], ({ cluster, report }) => {
    for (const cidr of cluster.spec.network[field].list) {
      const parsed = parseCidr(cidr);
      const found = SPECIAL.find((one) => parsed !== undefined && overlaps(one.cidr, parsed));
      if (found !== undefined) report('KX2621', { field, cidr, special: found.text }, ['spec', 'network', field]);
    }
  }),
);

/** Sixteen addresses: the first is the API server's, the tenth that of DNS. */
const fewServices = rule(['spec.network.kubeServiceCIDR'], ({ cluster, report }) => {
  for (const text of cluster.spec.network.kubeServiceCIDR.list) {
    const cidr = parseCidr(text);
    const max = cidr?.family === 6 ? 124 : 28;
    if (cidr !== undefined && cidr.prefix > max) {
      report('KX2622', { cidr: text, max: `/${max}` }, ['spec', 'network', 'kubeServiceCIDR']);
    }
  }
});

/** Rules over networks that no cluster can have. */
export const specialNetworkRules: readonly Rule[] = [...special, fewServices];
