import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { must, run } from './run.ts';

/** Modules that nodes ask for, and the kernel's switch for each. */
const CANDIDATES: Readonly<Record<string, string>> = {
  overlay: 'OVERLAY_FS',
  br_netfilter: 'BRIDGE_NETFILTER',
  bridge: 'BRIDGE',
  veth: 'VETH',
  vxlan: 'VXLAN',
  geneve: 'GENEVE',
  ipip: 'NET_IPIP',
  macvlan: 'MACVLAN',
  ipvlan: 'IPVLAN',
  dummy: 'DUMMY',
  tun: 'TUN',
  wireguard: 'WIREGUARD',
  fuse: 'FUSE_FS',
  loop: 'BLK_DEV_LOOP',
  nf_conntrack: 'NF_CONNTRACK',
  nf_conntrack_netlink: 'NF_CT_NETLINK',
  nf_nat: 'NF_NAT',
  nf_tables: 'NF_TABLES',
  nfnetlink: 'NETFILTER_NETLINK',
  nft_compat: 'NFT_COMPAT',
  nft_ct: 'NFT_CT',
  nft_nat: 'NFT_NAT',
  nft_masq: 'NFT_MASQ',
  nft_fib: 'NFT_FIB',
  nft_reject: 'NFT_REJECT',
  ip_tables: 'IP_NF_IPTABLES',
  ip6_tables: 'IP6_NF_IPTABLES',
  iptable_filter: 'IP_NF_FILTER',
  iptable_nat: 'IP_NF_NAT',
  iptable_mangle: 'IP_NF_MANGLE',
  iptable_raw: 'IP_NF_RAW',
  ip6table_filter: 'IP6_NF_FILTER',
  ip6table_nat: 'IP6_NF_NAT',
  ip6table_mangle: 'IP6_NF_MANGLE',
  ip6table_raw: 'IP6_NF_RAW',
  x_tables: 'NETFILTER_XTABLES',
  xt_addrtype: 'NETFILTER_XT_MATCH_ADDRTYPE',
  xt_comment: 'NETFILTER_XT_MATCH_COMMENT',
  xt_conntrack: 'NETFILTER_XT_MATCH_CONNTRACK',
  xt_mark: 'NETFILTER_XT_MARK',
  xt_multiport: 'NETFILTER_XT_MATCH_MULTIPORT',
  xt_nat: 'NETFILTER_XT_NAT',
  xt_set: 'NETFILTER_XT_SET',
  xt_statistic: 'NETFILTER_XT_MATCH_STATISTIC',
  xt_MASQUERADE: 'NETFILTER_XT_TARGET_MASQUERADE',
  ip_set: 'IP_SET',
  ip_set_hash_ip: 'IP_SET_HASH_IP',
  ip_set_hash_net: 'IP_SET_HASH_NET',
  ip_set_hash_ipport: 'IP_SET_HASH_IPPORT',
  ip_vs: 'IP_VS',
  ip_vs_rr: 'IP_VS_RR',
  ip_vs_wrr: 'IP_VS_WRR',
  ip_vs_sh: 'IP_VS_SH',
  ext4: 'EXT4_FS',
  xfs: 'XFS_FS',
  btrfs: 'BTRFS_FS',
};

/** What is known of the box's kernel. */
export interface KernelFacts {
  /** /proc/config.gz, unpacked, or /boot/config-*. */
  readonly config?: string | undefined;
  /** modules.builtin of the box. */
  readonly builtin?: string | undefined;
  /** /proc/modules. */
  readonly loaded?: string | undefined;
}

/** Those of the modules that the box's kernel has in it now, built in or loaded: what machines can use. */
export function usableModules(facts: KernelFacts): readonly string[] {
  const builtin = new Set(
    [...(facts.builtin ?? '').matchAll(/([^/\n]+)\.ko\b/g)].map((match) => plain(match[1] ?? '')),
  );
  const loaded = new Set((facts.loaded ?? '').split('\n').map((line) => plain(line.split(' ')[0] ?? '')));
  const on = new Set([...(facts.config ?? '').matchAll(/^CONFIG_(\w+)=y$/gm)].map((match) => match[1] ?? ''));
  return Object.entries(CANDIDATES)
    .filter(([name, option]) => on.has(option) || builtin.has(plain(name)) || loaded.has(plain(name)))
    .map(([name]) => name);
}

/**
 * Makes what is bound on /usr/lib/modules of the machines: every module that the box's kernel has counts as built in, so that
 * modprobe succeeds and does nothing.
 */
export async function writeModules(dir: string, lock: number): Promise<void> {
  const version = release();
  const target = join(dir, 'lib', 'modules', version);
  mkdirSync(target, { recursive: true });
  const lines = usableModules(kernelFacts(version)).map((name) => `kernel/builtin/${name}.ko\n`);
  writeFileSync(join(target, 'modules.builtin'), lines.join(''));
  writeFileSync(join(target, 'modules.builtin.modinfo'), '');
  writeFileSync(join(target, 'modules.order'), '');
  await must('depmod', ['-b', dir, version], { lock });
}

/** What nodes ask for and the box's kernel may have as modules that nobody loaded yet. */
export function missingModules(): readonly string[] {
  if (!existsSync('/proc/modules')) return [];
  const present = usableModules(kernelFacts(release()));
  return Object.keys(CANDIDATES).filter((name) => !present.includes(name));
}

/** Loads modules on the box; answers which are there now. */
export async function loadModules(names: readonly string[], lock: number): Promise<readonly string[]> {
  if (names.length === 0) return [];
  await run('modprobe', ['-q', '-a', ...names], { lock });
  const present = usableModules(kernelFacts(release()));
  return names.filter((name) => present.includes(name));
}

/** Unloads modules again; one that somebody uses meanwhile stays. */
export async function unloadModules(names: readonly string[], lock: number): Promise<void> {
  for (const name of [...names].reverse()) await run('modprobe', ['-q', '-r', name], { lock });
}

function kernelFacts(version: string): KernelFacts {
  const packed = bytes('/proc/config.gz');
  return {
    config: packed ? gunzipSync(packed).toString() : bytes(`/boot/config-${version}`)?.toString(),
    builtin: bytes(`/lib/modules/${version}/modules.builtin`)?.toString(),
    loaded: bytes('/proc/modules')?.toString(),
  };
}

function bytes(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function plain(name: string): string {
  return name.replaceAll('-', '_');
}
