import type { Entries, Facet } from './types.ts';

/** Links by name. */
export function readLinks(json: string): Entries {
  return new Map(
    objectsOf(json).map((link) => {
      const info = isObject(link['linkinfo']) ? link['linkinfo'] : {};
      const flags = Array.isArray(link['flags']) ? link['flags'] : [];
      const facet: Facet = {
        type: text(info['info_kind']) || text(link['link_type']),
        mtu: text(link['mtu']),
        up: flags.includes('UP') ? 'yes' : 'no',
        ...optional('master', link['master']),
      };
      return [text(link['ifname']), facet];
    }),
  );
}

/** Addresses by link and address; those that the kernel makes for every link by itself are left out. */
export function readAddresses(json: string): Entries {
  const all = new Map<string, Facet>();
  for (const link of objectsOf(json)) {
    for (const one of Array.isArray(link['addr_info']) ? link['addr_info'].filter(isObject) : []) {
      if (one['family'] === 'inet6' && one['scope'] === 'link') continue;
      all.set(`${text(link['ifname'])} ${text(one['local'])}/${text(one['prefixlen'])}`, {
        scope: text(one['scope']),
        ...optional('peer', one['address']),
      });
    }
  }
  return all;
}

/** Routes of all tables but those that follow from the addresses. */
export function readRoutes(...jsons: readonly string[]): Entries {
  const all = new Map<string, Facet>();
  for (const route of jsons.flatMap(objectsOf)) {
    const dst = text(route['dst']);
    if (route['table'] === 'local' || /^(?:fe80::\/64|ff00::\/8)$/.test(dst)) continue;
    const table = text(route['table']) || 'main';
    const parts = [text(route['type']), dst, ...named('dev', route['dev']), ...named('metric', route['metric'])];
    if (table !== 'main') parts.push('table', table);
    const key = parts.filter(Boolean).join(' ');
    all.set(unused(all, key), {
      ...optional('via', route['gateway'] ?? route['via']),
      ...optional('nexthops', route['nexthops']),
      ...optional('scope', route['scope']),
      ...optional('src', route['prefsrc']),
      ...optional('protocol', route['protocol']),
    });
  }
  return all;
}

/** Rules that choose a table. */
export function readRules(...jsons: readonly string[]): Entries {
  const all = new Map<string, Facet>();
  for (const [i, json] of jsons.entries()) {
    for (const { priority, ...rule } of objectsOf(json)) {
      const words = Object.entries(rule).sort(([a], [b]) => (a < b ? -1 : 1));
      const key = `${i === 0 ? 'ipv4' : 'ipv6'} ${text(priority)}: ${words.map(([name, value]) => `${name} ${text(value)}`.trim()).join(' ')}`;
      all.set(unused(all, key), {});
    }
  }
  return all;
}

/** Ports that are listened on. A UDP port of the passing ones belongs to a question that somebody just asks. */
export function readPorts(ss: string, portRange: string | undefined): Entries {
  const firstPassing = Number(portRange?.trim().split(/\s+/)[0] ?? 32_768);
  const all = new Map<string, Facet>();
  for (const line of ss.split('\n').filter((one) => one.trim() !== '')) {
    const [protocol = '', , , , local = ''] = line.trim().split(/\s+/);
    const port = Number(local.slice(local.lastIndexOf(':') + 1));
    if (protocol === 'udp' && port >= firstPassing) continue;
    const key = `${protocol} ${local}`;
    const seen = [...line.matchAll(/\("([^"]*)",pid=/g)].map((match) => match[1] ?? '');
    const before = all.get(key)?.['process']?.split(',') ?? [];
    const process = [...new Set([...before, ...seen])].sort().join(',');
    all.set(key, process === '' ? {} : { process });
  }
  return all;
}

type Fields = Readonly<Record<string, unknown>>;

function objectsOf(json: string): Fields[] {
  const value: unknown = json.trim() === '' ? [] : JSON.parse(json);
  return Array.isArray(value) ? value.filter(isObject).filter((one) => Object.keys(one).length > 0) : [];
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function optional(name: string, value: unknown): Facet {
  return value === undefined || value === null ? {} : { [name]: text(value) };
}

function named(name: string, value: unknown): readonly string[] {
  return value === undefined ? [] : [name, text(value)];
}

function unused(all: ReadonlyMap<string, unknown>, key: string): string {
  let free = key;
  for (let n = 2; all.has(free); n++) free = `${key} #${n}`;
  return free;
}
