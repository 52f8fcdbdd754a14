import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

const BRIDGE_FILTER = 'br_netfilter';
const BRIDGE_SETTINGS = ['bridge-nf-call-iptables', 'bridge-nf-call-ip6tables', 'bridge-nf-call-arptables'];
/** Once loaded it sends what passes any bridge of the box through the box's rules: not because of a lab. Machines have their own. */
const LOAD_BRIDGE_FILTER = `modprobe -q "$1" || exit 0
for key in ${BRIDGE_SETTINGS.join(' ')}; do echo 0 >"/proc/sys/net/bridge/$key"; done`;
const COUNTED = /^(overlay|fuse|loop|ext4|xfs|btrfs|xt_.*|nft_.*|ip_set(_.*)?|ip_vs(_.*)?)$/;

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
  if (names.includes(BRIDGE_FILTER)) await run('sh', ['-c', LOAD_BRIDGE_FILTER, 'load', BRIDGE_FILTER], { lock });
  const others = names.filter((name) => name !== BRIDGE_FILTER);
  if (others.length > 0) await run('modprobe', ['-q', '-a', ...others], { lock });
  const present = usableModules(kernelFacts(release()));
  return names.filter((name) => present.includes(name));
}

/**
 * Those of the modules that may go again. Most may not: the kernel removes every link of a kind with its module, and every rule
 * of a table, and by now they may be somebody else's. It counts who uses the others, and refuses while somebody does.
 */
export function unloadable(names: readonly string[], bridges: BridgeUse): readonly string[] {
  const idle = bridges.links === 0 && bridges.settings.every((value) => value === '0');
  return names.filter((name) => COUNTED.test(name) || (name === BRIDGE_FILTER && idle));
}

/** Unloads modules again, and none that they need: those may have been there before. One that is in use stays. */
export async function unloadModules(names: readonly string[], lock: number): Promise<void> {
  for (const name of [...unloadable(names, bridgeUse())].reverse()) await run('rmmod', [name], { lock });
}

/** What tells whether somebody filters bridged packets. */
export interface BridgeUse {
  /** Bridges of the box. */
  readonly links: number;
  /** Whether they pass the box's rules. Off if labs loaded the module; where it is on, somebody has switched it on. */
  readonly settings: readonly string[];
}

function bridgeUse(): BridgeUse {
  const dir = '/sys/class/net';
  const links = existsSync(dir) ? readdirSync(dir).filter((name) => existsSync(join(dir, name, 'bridge'))) : [];
  const settings = BRIDGE_SETTINGS.flatMap((key) => bytes(join('/proc/sys/net/bridge', key))?.toString().trim() ?? []);
  return { links: links.length, settings };
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
