import type { Entries, Facet } from './types.ts';

/** Tables of nftables, with what is in each of their chains, sets and maps. Reads `nft -s list ruleset`. */
export function readNftables(text: string): Entries {
  const all = new Map<string, Facet>();
  let table: { readonly name: string; readonly parts: Record<string, string> } | undefined;
  let part: { readonly name: string; readonly lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const [, name] = /^table (\S+ \S+) \{/.exec(line) ?? [];
    if (name !== undefined) {
      table = { name, parts: {} };
      part = undefined;
    } else if (table === undefined) continue;
    else if (line === '}') {
      all.set(table.name, table.parts);
      table = undefined;
    } else if (part === undefined) {
      const opened = /^\t(\S.*) \{$/.exec(line)?.[1];
      if (opened !== undefined) part = { name: opened, lines: [] };
      else if (line.trim() !== '') table.parts[line.trim()] = '';
    } else if (line === '\t}') {
      table.parts[part.name] = part.lines.join('\n');
      part = undefined;
    } else part.lines.push(withoutPassing(line.trim()));
  }
  return all;
}

/** Tables of the old iptables. What cannot be taken away again is no table: built-in chains that let everything through. */
export function readIptables(family: 'ipv4' | 'ipv6', saved: string): Entries {
  const all = new Map<string, Facet>();
  let table = '';
  let chains = new Map<string, { policy: string; rules: string[] }>();
  for (const line of saved.split('\n')) {
    if (line.startsWith('*')) {
      table = line.slice(1);
      chains = new Map();
    } else if (line.startsWith(':')) {
      const [name = '', policy = ''] = line.slice(1).split(' ');
      chains.set(name, { policy, rules: [] });
    } else if (line.startsWith('-A ')) chains.get(line.split(' ')[1] ?? '')?.rules.push(line);
    else if (line === 'COMMIT') {
      const used = [...chains].filter(([, { policy, rules }]) => policy !== 'ACCEPT' || rules.length > 0);
      const facet = used.map(([name, { policy, rules }]) => [name, [policy, ...rules].join('\n')]);
      if (used.length > 0) all.set(`${family} ${table}`, Object.fromEntries(facet));
    }
  }
  return all;
}

/** Sets of ipset, with their members. Reads `ipset save`. */
export function readIpsets(saved: string): Entries {
  const sets = new Map<string, { readonly create: string; readonly members: string[] }>();
  for (const line of saved.split('\n')) {
    const [verb, name = '', ...words] = line.split(' ');
    if (verb === 'create') {
      // How large its table has grown and how it was seeded is nobody's setting.
      const create = words.join(' ').replaceAll(/ (?:hashsize|bucketsize|initval) \S+/g, '');
      sets.set(name, { create, members: [] });
    } else if (verb === 'add') {
      sets.get(name)?.members.push(words.join(' ').replaceAll(/ (?:timeout|packets|bytes) \d+/g, ''));
    }
  }
  return new Map(
    [...sets].map(([name, { create, members }]) => [name, { create, members: members.sort().join('\n') }]),
  );
}

// Elements that a packet put into a set leave by themselves.
function withoutPassing(line: string): string {
  return line.replaceAll(/ expires [\dhdms]+/g, '').replaceAll(/counter packets \d+ bytes \d+/g, 'counter');
}
