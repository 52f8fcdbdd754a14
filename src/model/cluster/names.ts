const LABEL = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const dnsLabel = new RegExp(`^${LABEL}$`);
const dnsName = new RegExp(`^${LABEL}(\\.${LABEL})*$`);

/** A DNS-1123 label, such as a cluster's name. */
export function isDnsLabel(text: string): boolean {
  return dnsLabel.test(text);
}

/** A node's name: DNS-1123 in lower case, short enough to be a label's value. */
export function isNodeName(text: string): boolean {
  return text.length <= 63 && dnsName.test(text);
}

/** A DNS name in lower case; not one that looks like an IPv4 address. */
export function isDomain(text: string): boolean {
  return text.length <= 253 && dnsName.test(text) && !/^[\d.]+$/.test(text);
}

/** The nearest valid node name, for a remedy. */
export function suggestNodeName(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .slice(0, 63)
    .replace(/^[-.]+|[-.]+$/g, '');
  return isNodeName(name) ? name : 'node1';
}

/** A key of a Kubernetes label: an optional DNS prefix, a slash, a name. */
export function isLabelKey(text: string): boolean {
  const [prefix, name, ...rest] = text.includes('/') ? text.split('/') : [undefined, text];
  if (rest.length > 0 || (prefix !== undefined && !isDomain(prefix))) return false;
  return name !== '' && isLabelValue(name ?? '');
}

/** A value of a Kubernetes label. */
export function isLabelValue(text: string): boolean {
  return text === '' || /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(text);
}

/** `host`, `host:port` or an address, as image references name a registry. */
export function isRegistryHost(text: string): boolean {
  const match = /^(\[[0-9A-Fa-f:.]+\]|[^:/\s]+)(?::(\d{1,5}))?$/.exec(text);
  const port = Number(match?.[2] ?? 1);
  if (match?.[1] === undefined || port < 1 || port > 65_535) return false;
  return match[1].startsWith('[') || isDomain(match[1].toLowerCase()) || /^\d+(\.\d+){3}$/.test(match[1]);
}

/** A name that apt, dnf and zypper know packages by. */
export function isPackageName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9+._:~=-]*$/.test(text);
}

/** Names that every /etc/hosts has, or that resolvers answer by themselves. */
const LOCAL_NAMES = new Set(
  'localhost localhost4 localhost6 ip6-localhost ip6-loopback ip6-localnet ip6-mcastprefix ip6-allnodes ip6-allrouters broadcasthost'.split(
    ' ',
  ),
);

/** Whether a name stands for the machine itself, or for all machines of its link. */
export function isLocalName(name: string): boolean {
  const first = name.split('.')[0] ?? '';
  return LOCAL_NAMES.has(name) || /\.(localhost|localdomain)$/.test(name) || (first === 'localhost' && first !== name);
}

/** Whether the C library takes a name for an address: `1.2.3.4`, but also `10` and `0x7f000001`. */
export function isReadAsAddress(name: string): boolean {
  return name.split('.').length <= 4 && name.split('.').every((part) => /^(\d+|0x[0-9a-f]+)$/.test(part));
}

/** A name that people log in with; nothing that a shell, ssh or a URL reads otherwise. */
export function isUserName(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.@-]{0,63}\$?$/.test(text);
}

/** A name or an address; a certificate may also be for all names of a domain: `*.example.com`. */
export function isWildcard(text: string): boolean {
  return text.startsWith('*.') && text.includes('.', 2) && isDomain(text.slice(2));
}
