import type { Facts } from '../../model/facts.ts';
import { type KnownFamily, knownFamily } from './family.ts';

/** The part of facts that says how packages are called and installed. */
export type System = Pick<Facts, 'os' | 'packageManager'>;

/** Packages of each family that have something; an empty list: the family has none. */
type Names = Readonly<Record<KnownFamily, readonly string[]>>;

const everywhere = (...names: readonly string[]): Names => ({ debian: names, rhel: names, suse: names });

/**
 * What kubexm uses on the machine that it runs on, by the name of the program or, for what builds need, by the name that recipes
 * use. Programs are linked statically: where a family has no static libraries, only the headers would be of no use.
 */
const PACKAGES: Readonly<Record<string, Names>> = {
  gcc: everywhere('gcc'),
  git: everywhere('git'),
  'libc6-dev': {
    debian: ['libc6-dev'],
    rhel: ['glibc-devel', 'glibc-static'],
    suse: ['glibc-devel', 'glibc-devel-static'],
  },
  'libseccomp-dev': { debian: ['libseccomp-dev'], rhel: ['libseccomp-devel', 'libseccomp-static'], suse: [] },
  'pkg-config': { debian: ['pkg-config'], rhel: ['pkgconf-pkg-config'], suse: ['pkg-config'] },
  // Images with packages of Debian are made from the machine's own sources of packages, which only this family has.
  apt: { debian: ['apt', 'dpkg'], rhel: [], suse: [] },
  // No family's own Go is new enough everywhere.
  go: everywhere(),
  mmdebstrap: everywhere('mmdebstrap'),
  'systemd-nspawn': everywhere('systemd-container'),
  ip: { debian: ['iproute2'], rhel: ['iproute'], suse: ['iproute2'] },
  tc: { debian: ['iproute2'], rhel: ['iproute-tc'], suse: ['iproute2'] },
  depmod: everywhere('kmod'),
  rmmod: everywhere('kmod'),
  'ssh-keygen': { debian: ['openssh-client'], rhel: ['openssh'], suse: ['openssh-common'] },
  flock: everywhere('util-linux'),
  nsenter: everywhere('util-linux'),
  setpriv: everywhere('util-linux'),
  unshare: everywhere('util-linux'),
  mount: { debian: ['mount'], rhel: ['util-linux'], suse: ['util-linux'] },
  perl: { debian: ['perl-base'], rhel: ['perl-interpreter'], suse: ['perl-base'] },
  '/usr/lib/apt/apt-helper': everywhere('apt'),
  getfattr: everywhere('attr'),
  nft: everywhere('nftables'),
  'iptables-legacy-save': { debian: ['iptables'], rhel: ['iptables-legacy'], suse: ['iptables'] },
  'ip6tables-legacy-save': { debian: ['iptables'], rhel: ['iptables-legacy'], suse: ['iptables'] },
  ipset: everywhere('ipset'),
};

/** The packages of a system that have what is needed, and what none of its packages has. */
export function boxPackages(
  system: System,
  needs: readonly string[],
): { readonly packages: readonly string[]; readonly without: readonly string[] } {
  if (!canInstall(system)) return { packages: [], without: needs };
  const family = knownFamily(system);
  // What recipes need for another processor has the name of Debian's package, which no other family has.
  const namesOf = (need: string) => PACKAGES[need]?.[family] ?? (family === 'debian' ? [need] : []);
  return {
    packages: [...new Set(needs.flatMap(namesOf))],
    without: needs.filter((need) => namesOf(need).length === 0),
  };
}

/** One line for a shell that installs packages: as root, or by way of sudo. */
export function installCommand(system: System, packages: readonly string[], isRoot: boolean): string {
  const sudo = isRoot ? '' : 'sudo ';
  return commandsOf(system, packages)
    .map((command) => `${sudo}${command}`)
    .join(' && ');
}

/** The same as a script that asks nothing, and reads the indexes only where it has to. Unset: nobody knows how. */
export function installScript(system: System, packages: readonly string[]): string | undefined {
  if (!canInstall(system)) return undefined;
  const commands = commandsOf(system, packages);
  const install = commands.at(-1) ?? ':';
  if (system.packageManager !== 'apt') return commands.join(' && ');
  return `export DEBIAN_FRONTEND=noninteractive; ${install} || { ${commands.join(' && ')}; }`;
}

/** Whether kubexm knows what installs packages here, and how they are called. */
function canInstall({ packageManager }: System): boolean {
  return ['apt', 'dnf', 'yum', 'zypper'].includes(packageManager);
}

function commandsOf(system: System, packages: readonly string[]): readonly string[] {
  const names = packages.join(' ');
  const { packageManager } = system;
  switch (packageManager) {
    case 'zypper':
      return [`zypper --non-interactive install ${names}`];
    case 'dnf':
    case 'yum': {
      const repository = packages.some((name) => name.endsWith('-static')) ? developerRepository(system) : undefined;
      return [`${packageManager} install -y ${repository === undefined ? '' : `--enablerepo=${repository} `}${names}`];
    }
    case 'apt':
      return aptCommands(packages);
    case 'apk':
    case 'pacman':
    case 'none':
      throw new TypeError(`no package of ${packageManager} is known`);
  }
}

function aptCommands(packages: readonly string[]): readonly string[] {
  const foreign = [...new Set(packages.flatMap((name) => /:(\w+)$/.exec(name)?.[1] ?? []))];
  return [
    ...foreign.map((arch) => `dpkg --add-architecture ${arch}`),
    'apt-get -q update',
    `apt-get -q install --yes --no-install-recommends ${packages.join(' ')}`,
  ];
}

/** Where the systems like RHEL keep static libraries; it is not enabled by itself. */
function developerRepository({ os }: System): string | undefined {
  const major = Number.parseInt(os.version, 10);
  if (os.id === 'rhel') return `codeready-builder-for-rhel-${major}-$(uname -m)-rpms`;
  if (os.id === 'ol') return `ol${major}_codeready_builder`;
  if (['centos', 'rocky', 'almalinux'].includes(os.id)) return major >= 9 ? 'crb' : 'powertools';
  return undefined;
}
