/** Programs of the box that `lab diff` looks with, and the Debian packages that have them. */
export const DIFF_TOOLS = {
  getfattr: 'attr',
  nft: 'nftables',
  'iptables-legacy-save': 'iptables',
  'ip6tables-legacy-save': 'iptables',
  ipset: 'ipset',
} as const;

/** One of these programs. */
export type DiffTool = keyof typeof DIFF_TOOLS;
