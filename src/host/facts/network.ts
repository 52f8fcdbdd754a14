import type { AddressFact, RouteFact } from '../../model/facts.ts';
import type { RawFacts } from './raw.ts';

/** Addresses from `ip -o addr`, or from /proc where there is no ip(8). */
export function addressesOf(raw: RawFacts): AddressFact[] {
  const lines = raw.lines('addresses');
  return lines.length > 0 ? lines.flatMap(ipAddress) : [...proc4(raw), ...proc6(raw.file('/proc/net/if_inet6'))];
}

function ipAddress(line: string): AddressFact[] {
  const found = line.match(/^\d+:\s+(\S+)\s+(inet6?)\s+([^\s/]+)(?:\s+peer\s+\S+?)?(?:\/(\d+))?\s/);
  if (!found) return [];
  const [, device = '', kind, address = '', prefix] = found;
  const family = kind === 'inet6' ? 6 : 4;
  return [{ device: device.replace(/@.*$/, ''), address, prefix: Number(prefix ?? (family === 6 ? 128 : 32)), family }];
}

/** Routes of the kernel's main tables. */
export function routesOf(raw: RawFacts): RouteFact[] {
  const four = connected(raw.file('/proc/net/route')).map(({ destination, device }) => ({ destination, device }));
  return [...four, ...routes6(raw.file('/proc/net/ipv6_route'))];
}

/** Flags of routes that lead nowhere, or to ourselves. */
const REJECT = 0x0200;
const OWN = 0x80100000;

function routes6(text: string): RouteFact[] {
  return text.split('\n').flatMap((line): RouteFact[] => {
    const words = line.trim().split(/\s+/);
    const [network = '', prefix = ''] = words;
    const [flags = '', device = ''] = words.slice(-2);
    if (!/^[0-9a-f]{32}$/.test(network) || (Number.parseInt(flags, 16) & (REJECT | OWN)) !== 0) return [];
    const bits = Number.parseInt(prefix, 16);
    if (network.startsWith('ff')) return [];
    return [{ destination: bits === 0 ? 'default' : `${colons(network)}/${bits}`, device }];
  });
}

interface Connected extends RouteFact {
  readonly network: number;
  readonly prefix: number;
}

/** /proc/net/route writes addresses as little-endian hex. */
function connected(text: string): Connected[] {
  return text.split('\n').flatMap((line) => {
    const [device = '', network = '', , flags = '', , , , mask = ''] = line.trim().split(/\s+/);
    if (!/^[0-9A-F]{8}$/.test(network) || !/^[0-9A-F]{8}$/.test(mask)) return [];
    if ((Number.parseInt(flags, 16) & REJECT) !== 0) return [];
    const [address, prefix] = [swap(network), bits(swap(mask))];
    const destination = prefix === 0 ? 'default' : `${dotted(address)}${prefix === 32 ? '' : `/${prefix}`}`;
    return [{ destination, device, network: address, prefix }];
  });
}

/** The local table of /proc/net/fib_trie has our own addresses; the route they fall into has the rest. */
function proc4(raw: RawFacts): AddressFact[] {
  const routes = connected(raw.file('/proc/net/route')).filter((route) => route.prefix > 0);
  const found = raw.file('/proc/net/fib_trie').matchAll(/\|-- (\d+\.\d+\.\d+\.\d+)\n\s*\/32 host LOCAL/g);
  const addresses = [...new Set([...found].map(([, address = '']) => address))];
  return addresses.map((address) => {
    if (address.startsWith('127.')) return { device: 'lo', address, prefix: 8, family: 4 };
    const number = toNumber(address);
    const route = routes.find((one) => number >>> (32 - one.prefix) === one.network >>> (32 - one.prefix));
    return { device: route?.device ?? '', address, prefix: route?.prefix ?? 32, family: 4 };
  });
}

function proc6(text: string): AddressFact[] {
  return text.split('\n').flatMap((line): AddressFact[] => {
    const [hex = '', , prefix = '', , , device = ''] = line.trim().split(/\s+/);
    if (!/^[0-9a-f]{32}$/.test(hex)) return [];
    return [{ device, address: colons(hex), prefix: Number.parseInt(prefix, 16), family: 6 }];
  });
}

/** An IPv6 address as people write it: the URL parser knows how it is shortened. */
function colons(hex: string): string {
  const long = hex.match(/.{4}/g)?.join(':') ?? '';
  return new URL(`http://[${long}]/`).hostname.slice(1, -1);
}

function swap(hex: string): number {
  return Buffer.from(hex, 'hex').readUInt32LE(0);
}

function bits(mask: number): number {
  return mask.toString(2).replaceAll('0', '').length;
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
}

function toNumber(address: string): number {
  return Buffer.from(address.split('.').map(Number)).readUInt32BE(0);
}
