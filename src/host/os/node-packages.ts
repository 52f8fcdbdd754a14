import type { Facts } from '../../model/facts.ts';
import { type KnownFamily, knownFamily } from './family.ts';

/** What a machine of a cluster needs, and the package of it in each family. */
interface Need extends Readonly<Record<KnownFamily, string>> {
  readonly why: string;
}

const NEEDS: readonly Need[] = [
  { why: 'port-forward of kubectl', debian: 'socat', rhel: 'socat', suse: 'socat' },
  {
    why: 'kube-proxy forgets connections to endpoints that are gone',
    debian: 'conntrack',
    rhel: 'conntrack-tools',
    suse: 'conntrack-tools',
  },
  { why: 'sets of addresses in rules: ipvs mode, network policies', debian: 'ipset', rhel: 'ipset', suse: 'ipset' },
  { why: 'rules of kube-proxy, to be seen and removed', debian: 'nftables', rhel: 'nftables', suse: 'nftables' },
  { why: 'kubeadm looks for it', debian: 'ethtool', rhel: 'ethtool', suse: 'ethtool' },
  { why: 'completion of kubectl', debian: 'bash-completion', rhel: 'bash-completion', suse: 'bash-completion' },
  { why: 'one time on all machines', debian: 'chrony', rhel: 'chrony', suse: 'chrony' },
];

/** What mounts the volumes of pods. Nothing else waits for it: these bring more with them than all others together. */
const VOLUMES: readonly Need[] = [
  { why: 'volumes over NFS', debian: 'nfs-common', rhel: 'nfs-utils', suse: 'nfs-client' },
  { why: 'volumes over iSCSI', debian: 'open-iscsi', rhel: 'iscsi-initiator-utils', suse: 'open-iscsi' },
];

/** Virtual servers of kube-proxy, to be seen and removed. */
const IPVS: Readonly<Record<KnownFamily, string>> = { debian: 'ipvsadm', rhel: 'ipvsadm', suse: 'ipvsadm' };

const TIME_ZONES: Readonly<Record<KnownFamily, string>> = { debian: 'tzdata', rhel: 'tzdata', suse: 'timezone' };

/** Systems that count their releases as RHEL does. */
const LIKE_RHEL = ['rhel', 'centos', 'rocky', 'almalinux', 'ol', 'anolis', 'opencloudos'];

/** iptables, which kubeadm and kubelet call, and ebtables. Names of real packages: one that only provides a name is never found. */
function packetFilters({ os }: Pick<Facts, 'os'>, family: KnownFamily): readonly string[] {
  const major = Number.parseInt(os.version, 10);
  const release = LIKE_RHEL.includes(os.id) ? major : os.id === 'fedora' || (os.id === 'amzn' && major > 2) ? 9 : 0;
  // Since RHEL 9 one package has both commands; RHEL 8 has ebtables under another name.
  if (family === 'rhel' && release >= 9) return ['iptables-nft'];
  return family === 'rhel' && release === 8 ? ['iptables', 'iptables-ebtables'] : ['iptables', 'ebtables'];
}

/** What is to be on a machine beside what every one needs. */
export interface MorePackages {
  /** For systems of rpm. */
  readonly rpms: readonly string[];
  /** For systems of deb. */
  readonly debs: readonly string[];
  /** The data of time zones: small images come without. */
  readonly timeZones: boolean;
  /** kube-proxy works with ipvs. */
  readonly ipvs: boolean;
  /** Those of components that come from the operating system. */
  readonly components: readonly Readonly<Record<KnownFamily, readonly string[]>>[];
}

type System = Pick<Facts, 'os' | 'packageManager'>;

/** The packages with which the kubelet mounts volumes, under the names of a machine's system. */
export function volumePackages(facts: System): readonly string[] {
  const family = knownFamily(facts);
  return VOLUMES.map((need) => need[family]).toSorted();
}

/** The packages that a machine needs to be a node, under the names of its system. */
export function nodePackages(facts: System, more: MorePackages): readonly string[] {
  const family = knownFamily(facts);
  const names = [
    ...NEEDS.map((need) => need[family]),
    ...packetFilters(facts, family),
    ...(more.timeZones ? [TIME_ZONES[family]] : []),
    ...(more.ipvs ? [IPVS[family]] : []),
    ...more.components.flatMap((names) => names[family]),
    ...(family === 'debian' ? more.debs : more.rpms),
  ];
  return [...new Set(names)].toSorted();
}
