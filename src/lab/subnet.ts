import { createHash } from 'node:crypto';
import { type Cidr, formatCidr, formatIp, parseCidr } from '../model/cluster/ip.ts';

/** Labs live in this range: outside of what clusters use for pods and services by default. */
const POOL = '10.88.0.0/16';
const PREFIX = 24;
const COUNT = 256;
const RESERVED = 3;

/** A network of 24 bits as `10.88.7.0/24`; undefined when the text is none. */
export function parseSubnet(text: string): string | undefined {
  const cidr = parseCidr(text);
  if (cidr === undefined || cidr.family !== 4 || cidr.prefix !== PREFIX || cidr.hostBits) return undefined;
  return formatCidr(cidr);
}

/** What of the taken networks overlaps with this one. */
export function overlapping(subnet: string, taken: readonly string[]): string | undefined {
  const one = parseCidr(subnet);
  return one === undefined ? undefined : taken.find((text) => overlaps(one, parseCidr(text)));
}

/** A free network: the lab's name says where the search begins, so that the same lab gets the same addresses again. */
export function chooseSubnet(lab: string, taken: readonly string[]): string | undefined {
  const first = createHash('sha256').update(lab).digest().readUInt8(0);
  const others = taken.map((text) => parseCidr(text));
  for (let i = 0; i < COUNT; i++) {
    const subnet = POOL.replace('0.0/16', `${(first + i) % COUNT}.0/${PREFIX}`);
    const one = parseCidr(subnet);
    if (one !== undefined && !others.some((other) => overlaps(one, other))) return subnet;
  }
  return undefined;
}

/** An address: 0 is the box, 1 and on the machines. The first few stay free, for addresses that clusters share. */
export function addressIn(subnet: string, index: number): string {
  const cidr = parseCidr(subnet);
  if (cidr === undefined) throw new TypeError(`not a network: ${subnet}`);
  return formatIp({ family: 4, value: cidr.network + BigInt(hostPart(index)) });
}

/** A unique local network of 64 bits, by the lab's id. */
export function subnet6(id: string): string {
  return `fd${id.slice(0, 2)}:${id.slice(2, 6)}:6b78::/64`;
}

/** The same in IPv6. */
export function addressIn6(network: string, index: number): string {
  return network.replace('::/64', `::${hostPart(index).toString(16)}`);
}

function hostPart(index: number): number {
  return index === 0 ? 1 : index + RESERVED;
}

function overlaps(a: Cidr, b: Cidr | undefined): boolean {
  if (b === undefined || a.family !== b.family) return false;
  const bits = a.family === 4 ? 32 : 128;
  const free = BigInt(bits - Math.min(a.prefix, b.prefix));
  return a.network >> free === b.network >> free;
}
