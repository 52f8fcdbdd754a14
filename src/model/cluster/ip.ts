/** An IP family. */
export type Family = 4 | 6;

/** An address as a number, so that ranges can be compared. */
export interface Ip {
  readonly family: Family;
  readonly value: bigint;
}

/** A network in CIDR notation. */
export interface Cidr {
  readonly family: Family;
  readonly network: bigint;
  readonly prefix: number;
  /** The address as written had bits set after the prefix. */
  readonly hostBits: boolean;
}

/** Up to one value of each family, in the order the user wrote them: the first is the primary. */
export interface DualStack {
  readonly list: readonly string[];
  readonly ipv4?: string;
  readonly ipv6?: string;
}

const BITS = { 4: 32, 6: 128 } as const;

/** Reads an IPv4 or IPv6 address. No zones, no brackets, no leading zeros in IPv4. */
export function parseIp(text: string): Ip | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

/** Reads `address/prefix`. */
export function parseCidr(text: string): Cidr | undefined {
  const match = /^([0-9A-Fa-f.:]+)\/(0|[1-9]\d{0,2})$/.exec(text);
  const ip = match?.[1] === undefined ? undefined : parseIp(match[1]);
  const prefix = Number(match?.[2]);
  if (ip === undefined || prefix > BITS[ip.family]) return undefined;
  const free = BigInt(BITS[ip.family] - prefix);
  const network = (ip.value >> free) << free;
  return { family: ip.family, network, prefix, hostBits: network !== ip.value };
}

/** The shortest usual spelling: `2022::2`, `10.0.0.1`. */
export function formatIp(ip: Ip): string {
  if (ip.family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((ip.value >> shift) & 255n)).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((ip.value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  const { start, length } = longestZeroRun(groups);
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}

/** `network/prefix` in its shortest spelling. */
export function formatCidr(cidr: Cidr): string {
  return `${formatIp({ family: cidr.family, value: cidr.network })}/${cidr.prefix}`;
}

/** The nth address of a network: `10.96.0.10` is the tenth of `10.96.0.0/12`. */
export function nthAddress(network: string, n: bigint): string {
  const cidr = parseCidr(network);
  if (cidr === undefined) throw new TypeError(`${network} is no network`);
  return formatIp({ family: cidr.family, value: cidr.network + n });
}

/** Whether an address lies in a network. */
export function contains(cidr: Cidr, ip: Ip): boolean {
  const free = BigInt(BITS[cidr.family] - cidr.prefix);
  return cidr.family === ip.family && ip.value >> free === cidr.network >> free;
}

/** Whether two networks share an address. */
export function overlaps(a: Cidr, b: Cidr): boolean {
  const [wide, narrow] = a.prefix <= b.prefix ? [a, b] : [b, a];
  return contains(wide, { family: narrow.family, value: narrow.network });
}

/** Puts values into their families; the caller has made sure that there is at most one of each. */
export function dualStack(values: readonly { readonly family: Family; readonly text: string }[]): DualStack {
  const ipv4 = values.find((one) => one.family === 4)?.text;
  const ipv6 = values.find((one) => one.family === 6)?.text;
  return {
    list: values.map((one) => one.text),
    ...(ipv4 === undefined ? {} : { ipv4 }),
    ...(ipv6 === undefined ? {} : { ipv6 }),
  };
}

/** The families of a dual-stack value in its order, such as `4,6`. */
export function families(value: DualStack): string {
  return value.list.map((text) => (text.includes(':') ? 6 : 4)).join(',');
}

/** Whether a machine can be reached under this address by others. */
export function addressKind(ip: Ip): 'usable' | 'loopback' | 'unusable' {
  if (LOOPBACK.some((network) => contains(network, ip))) return 'loopback';
  return UNUSABLE.some((network) => contains(network, ip)) ? 'unusable' : 'usable';
}

const fixed = (...texts: string[]): readonly Cidr[] => texts.map(parseCidr).filter((cidr) => cidr !== undefined);
const LOOPBACK = fixed('127.0.0.0/8', '::1/128');
const UNUSABLE = fixed('0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3', '::/128', 'fe80::/10', 'ff00::/8');

function parseIpv4(text: string): Ip | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return undefined;
  }
  return { family: 4, value: parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n) };
}

function parseIpv6(text: string): Ip | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = groupsOf(halves[0] ?? '', halves.length === 1);
  const tail = halves.length === 2 ? groupsOf(halves[1] ?? '', true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...new Array<number>(missing).fill(0), ...tail];
  return { family: 6, value: groups.reduce((sum, group) => sum * 65536n + BigInt(group), 0n) };
}

/** Eight or fewer groups; the last one may be an IPv4 address. */
function groupsOf(text: string, last: boolean): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [i, part] of parts.entries()) {
    if (/^[0-9A-Fa-f]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16));
    else if (last && i === parts.length - 1 && part.includes('.')) {
      const tail = parseIpv4(part);
      if (tail === undefined) return undefined;
      groups.push(Number(tail.value >> 16n), Number(tail.value & 0xffffn));
    } else return undefined;
  }
  return groups;
}

function longestZeroRun(groups: readonly string[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (let i = 0; i <= groups.length; i += 1) {
    if (groups[i] === '0') continue;
    if (i - start > best.length) best = { start, length: i - start };
    start = i + 1;
  }
  return best;
}
