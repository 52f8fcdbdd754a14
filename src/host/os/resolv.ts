import { isIP } from 'node:net';

/** How names are resolved. What is left out stays as it is. */
export interface ResolverWant {
  readonly nameservers: readonly string[];
  /** Name servers that a plain /etc/resolv.conf has stay, behind these. */
  readonly keepOthers?: boolean;
  readonly search?: readonly string[];
  /** Such as `ndots:2`, `timeout:1`. */
  readonly options?: readonly string[];
}

/** What a resolv.conf says. */
export interface ResolvConf {
  readonly nameservers: readonly string[];
  readonly search: readonly string[];
  readonly options: readonly string[];
}

/** An address as programs print it, so that two ways to write it can be compared. */
export function plainAddress(address: string): string {
  const [bare = '', scope] = address.split('%');
  if (isIP(bare) !== 6) return address;
  const plain = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  return scope === undefined ? plain : `${plain}%${scope}`;
}

/** What is wrong with a want; undefined when nothing is. */
export function resolverProblem(want: ResolverWant): string | undefined {
  if (want.nameservers.length === 0) return 'a resolver needs at least one name server';
  const bad = want.nameservers.find((one) => isIP(one.split('%')[0] ?? '') === 0);
  if (bad !== undefined) return `the name server ${JSON.stringify(bad)} is no address`;
  const word = [...(want.search ?? []), ...(want.options ?? [])].find((one) => !/^[A-Za-z0-9._:-]+$/.test(one));
  return word === undefined ? undefined : `${JSON.stringify(word)} is no search domain or option of a resolver`;
}

const OURS = { nameserver: 'nameservers', search: 'search', domain: 'search', options: 'options' } as const;

function wordOf(line: string): keyof typeof OURS | undefined {
  return /^(nameserver|search|domain|options)(?:[ \t]|$)/.exec(line)?.[1] as keyof typeof OURS | undefined;
}

/** Reads a resolv.conf as the C library does: the last search line counts, options add up. */
export function parseResolvConf(text: string): ResolvConf {
  const nameservers: string[] = [];
  let search: readonly string[] = [];
  const options: string[] = [];
  for (const line of text.split('\n')) {
    const [, ...words] = line.trim().split(/[ \t]+/);
    const word = wordOf(line);
    if (word === 'nameserver' && words[0] !== undefined) nameservers.push(plainAddress(words[0]));
    else if (word === 'search' || word === 'domain') search = words;
    else if (word === 'options') options.push(...words);
  }
  return { nameservers, search, options };
}

/** The words whose lines a want replaces. */
export function replacedWords(want: ResolverWant): readonly string[] {
  const ours = want.nameservers.map((one) => `nameserver[[:space:]]+${one.replaceAll('.', '[.]')}`);
  return [
    ...(want.keepOthers === true ? ours : ['nameserver']),
    ...(want.search === undefined ? [] : ['search', 'domain']),
    ...(want.options === undefined ? [] : ['options']),
  ];
}

/** The lines that say what is wanted. */
export function wantedLines(want: ResolverWant): readonly string[] {
  const line = (word: string, values: readonly string[] | undefined) =>
    values === undefined || values.length === 0 ? [] : [`${word} ${values.join(' ')}`];
  return [
    ...want.nameservers.map((one) => `nameserver ${one}`),
    ...line('search', want.search),
    ...line('options', want.options),
  ];
}

/** systemd-resolved's file for it. `~.` asks these servers for everything that no link claims for itself. */
export function resolvedText(want: ResolverWant): string {
  return [
    '# Written by kubexm.',
    '[Resolve]',
    `DNS=${want.nameservers.join(' ')}`,
    `Domains=${['~.', ...(want.search ?? [])].join(' ')}`,
    '',
  ].join('\n');
}

/** NetworkManager's file for it. A section of all domains takes the place of what the links bring. */
export function networkManagerText(want: ResolverWant): string {
  const list = (name: string, values: readonly string[] | undefined) =>
    values === undefined || values.length === 0 ? [] : [`${name}=${values.join(',')}`];
  return [
    '# Written by kubexm.',
    '[global-dns]',
    ...list('searches', want.search),
    ...list('options', want.options),
    '',
    '[global-dns-domain-*]',
    `servers=${want.nameservers.join(',')}`,
    '',
  ].join('\n');
}
