import type { OsFamily } from '../../model/facts.ts';

/** `KEY=value` lines, or another separator; quotes around values are taken off. */
export function keyValues(text: string, separator = '='): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const line of text.split('\n')) {
    const at = line.indexOf(separator);
    if (at > 0) pairs.set(line.slice(0, at).trim(), unquote(line.slice(at + 1).trim()));
  }
  return pairs;
}

function unquote(value: string): string {
  return value.match(/^(["'])(.*)\1$/)?.[2] ?? value;
}

const FAMILIES: readonly [OsFamily, readonly string[]][] = [
  ['debian', ['debian', 'ubuntu', 'raspbian', 'uos', 'deepin']],
  [
    'rhel',
    [
      'rhel',
      'fedora',
      'centos',
      'rocky',
      'almalinux',
      'ol',
      'amzn',
      'openeuler',
      'anolis',
      'kylin',
      'opencloudos',
      'tencentos',
    ],
  ],
  ['suse', ['suse', 'sles', 'opensuse', 'opensuse-leap', 'opensuse-tumbleweed', 'sle-micro']],
  ['arch', ['arch', 'archlinux', 'manjaro']],
  ['alpine', ['alpine']],
];

/** The family by the system's own name, then by those it says it is like. */
export function familyOf(id: string, like: string): OsFamily {
  for (const name of [id, ...like.toLowerCase().split(/\s+/)]) {
    const family = FAMILIES.find(([, names]) => names.includes(name))?.[0];
    if (family) return family;
  }
  return 'unknown';
}

const ARCHES: Readonly<Record<string, string>> = {
  x86_64: 'amd64',
  aarch64: 'arm64',
  armv7l: 'arm',
  armv6l: 'arm',
  i686: '386',
  loongarch64: 'loong64',
};

/** What Kubernetes calls a machine type of the kernel. */
export function kubernetesArch(machine: string): string {
  return ARCHES[machine] ?? machine;
}
