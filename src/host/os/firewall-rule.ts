import { isIP } from 'node:net';

/** What is let in: a port or range of ports, from everywhere or from one source; without a port, all from the source. */
export interface FirewallRule {
  /** `6443`, or a range: `30000-32767`. */
  readonly port?: number | string;
  /** Default: tcp */
  readonly protocol?: 'tcp' | 'udp' | 'sctp';
  /** An address or a network: `10.0.0.0/8`. */
  readonly source?: string;
}

/** What is wrong with a rule; undefined when nothing is. */
export function ruleProblem(rule: FirewallRule): string | undefined {
  const text = JSON.stringify(rule);
  if (rule.port === undefined && rule.source === undefined)
    return `the firewall rule ${text} has neither port nor source`;
  if (rule.port !== undefined && rangeOf(rule.port) === undefined) return `the firewall rule ${text} has no valid port`;
  if (rule.protocol !== undefined && !['tcp', 'udp', 'sctp'].includes(rule.protocol))
    return `the firewall rule ${text} has no valid protocol`;
  if (rule.source !== undefined && networkOf(rule.source) === undefined)
    return `the source of the firewall rule ${text} is no address or network`;
  return undefined;
}

/** The first and last port of `6443` or `30000-32767`. */
function rangeOf(port: number | string): readonly [number, number] | undefined {
  const match = /^([0-9]{1,5})(?:-([0-9]{1,5}))?$/.exec(String(port));
  if (match === null) return undefined;
  const first = Number(match[1]);
  const last = Number(match[2] ?? match[1]);
  return first >= 1 && last <= 65535 && first <= last ? [first, last] : undefined;
}

/** An address or network as every tool prints it: no host bits, no length that says nothing. */
export function networkOf(source: string): string | undefined {
  const [address = '', bits, more] = source.split('/');
  const family = isIP(address);
  if (family === 0 || more !== undefined || (bits !== undefined && !/^[0-9]{1,3}$/.test(bits))) return undefined;
  const full = family === 4 ? 32 : 128;
  const length = bits === undefined ? full : Number(bits);
  if (length > full) return undefined;
  if (family === 6) {
    const plain = new URL(`http://[${address}]/`).hostname.slice(1, -1);
    return length === full ? plain : `${plain}/${length}`;
  }
  const number = address.split('.').reduce((all, part) => all * 256 + Number(part), 0);
  const network = number - (number % 2 ** (32 - length));
  const plain = [24, 16, 8, 0].map((shift) => Math.floor(network / 2 ** shift) % 256).join('.');
  return length === full ? plain : `${plain}/${length}`;
}

/** The rule in ufw's words, as `ufw show added` has it. */
export function ufwWords(rule: FirewallRule): readonly string[] {
  const source = rule.source === undefined ? undefined : networkOf(rule.source);
  const port = rule.port === undefined ? undefined : String(rule.port).replace('-', ':');
  const protocol = rule.protocol ?? 'tcp';
  if (source === undefined) return ['allow', `${port}/${protocol}`];
  if (port === undefined) return ['allow', 'from', source];
  return ['allow', 'from', source, 'to', 'any', 'port', port, 'proto', protocol];
}

/** What a rule is to firewalld: a port or a rich rule of a zone, or a source of the zone that trusts everybody. */
export type FirewalldItem = {
  readonly kind: 'port' | 'rich-rule' | 'source';
  readonly text: string;
};

/** The rule in firewalld's words. */
export function firewalldItem(rule: FirewallRule): FirewalldItem {
  const source = rule.source === undefined ? undefined : (networkOf(rule.source) ?? rule.source);
  if (rule.port === undefined) return { kind: 'source', text: source ?? '' };
  const [first, last] = rangeOf(rule.port) ?? [0, 0];
  const port = first === last ? String(first) : `${first}-${last}`;
  const protocol = rule.protocol ?? 'tcp';
  if (source === undefined) return { kind: 'port', text: `${port}/${protocol}` };
  const family = source.includes(':') ? 'ipv6' : 'ipv4';
  const text = `rule family="${family}" source address="${source}" port port="${port}" protocol="${protocol}" accept`;
  return { kind: 'rich-rule', text };
}

/** Whether one of these ports or ranges of firewalld (`30000-32767/tcp`) lets a wanted one in. */
export function portCovered(ports: readonly string[], wanted: string): boolean {
  const [range = '', protocol] = wanted.split('/');
  const [first, last] = rangeOf(range) ?? [0, 0];
  return ports.some((one) => {
    const [there = '', its] = one.split('/');
    const [from, to] = rangeOf(there) ?? [1, 0];
    return its === protocol && from <= first && last <= to;
  });
}
