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

/** Routes from `ip route`, or from /proc. */
export function routesOf(raw: RawFacts): RouteFact[] {
  const lines = raw.lines('routes');
  if (lines.length === 0)
    return connected(raw.file('/proc/net/route')).map(({ destination, device }) => ({ destination, device }));
  return lines.flatMap((line) => {
    const words = line.split(/\s+/);
    const typed = /^(unreachable|blackhole|prohibit|throw|local|broadcast|multicast|anycast|nat)$/.test(words[0] ?? '');
    const destination = words[typed ? 1 : 0];
    const device = line.match(/\bdev (\S+)/)?.[1];
    return destination && device ? [{ destination, device }] : [];
  });
}

interface Connected extends RouteFact {
  readonly network: number;
  readonly prefix: number;
}

/** /proc/net/route writes addresses as little-endian hex. */
function connected(text: string): Connected[] {
  return text.split('\n').flatMap((line) => {
    const [device = '', network = '', , , , , , mask = ''] = line.trim().split(/\s+/);
    if (!/^[0-9A-F]{8}$/.test(network) || !/^[0-9A-F]{8}$/.test(mask)) return [];
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
    const long = hex.match(/.{4}/g)?.join(':') ?? '';
    // The URL parser knows how IPv6 addresses are shortened.
    const address = new URL(`http://[${long}]/`).hostname.slice(1, -1);
    return [{ device, address, prefix: Number.parseInt(prefix, 16), family: 6 }];
  });
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
