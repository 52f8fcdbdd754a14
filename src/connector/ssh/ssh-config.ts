import { readdir, readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { kubexmError } from '../../model/errors/index.ts';
import { matchesPattern } from './known-hosts.ts';

/** What is needed to read ssh_config files. */
export interface SshConfigContext {
  /** Read in this order; the first value found wins. Usually ~/.ssh/config and /etc/ssh/ssh_config. */
  readonly files: readonly string[];
  readonly home: string;
  readonly localUser: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the files say about one host. Undefined: nothing. */
export interface SshSettings {
  readonly hostName: string;
  readonly user: string | undefined;
  readonly port: number | undefined;
  readonly identityFiles: readonly string[];
  readonly identitiesOnly: boolean;
  readonly identityAgent: string | undefined;
  /** Hops as written: `user@host:port`, the nearest first. */
  readonly proxyJump: readonly string[];
  readonly proxyCommand: string | undefined;
  readonly knownHostsFiles: readonly string[] | undefined;
  readonly strict: boolean;
  readonly hostKeyAlias: string | undefined;
}

/** Directives of which all values count, not only the first. */
const LISTS = new Set(['identityfile']);

/** Reads the settings of a host as OpenSSH does: every value is the first that was found for it. */
export async function readSshSettings(
  host: string,
  context: SshConfigContext,
  known: { readonly user?: string } = {},
): Promise<SshSettings> {
  const reader = new ConfigReader(host, context, known.user);
  for (const file of context.files) await reader.read(file, 0);
  return reader.settings();
}

class ConfigReader {
  readonly #host: string;
  readonly #context: SshConfigContext;
  readonly #user: string | undefined;
  readonly #values = new Map<string, string[][]>();

  constructor(host: string, context: SshConfigContext, user: string | undefined) {
    this.#host = host;
    this.#context = context;
    this.#user = user;
  }

  async read(file: string, depth: number): Promise<void> {
    if (depth > 16) throw kubexmError('KX3017', { file, detail: 'Include goes too deep' });
    let active = true;
    const text = await readText(file);
    for (const [index, line] of text.split('\n').entries()) {
      const [keyword, ...words] = splitLine(line, `${file}:${index + 1}`);
      if (keyword === undefined) continue;
      const name = keyword.toLowerCase();
      if (name === 'host') active = this.#matchesHost(words);
      else if (name === 'match') active = this.#matchesAll(words);
      else if (active && name === 'include') await this.#include(words, depth);
      else if (active) this.#set(name, words);
    }
  }

  settings(): SshSettings {
    const first = (name: string): string | undefined => this.#values.get(name)?.[0]?.[0];
    const none = (value: string | undefined): string | undefined =>
      value?.toLowerCase() === 'none' ? undefined : value;
    const hostName = (first('hostname') ?? '%h').replaceAll('%h', this.#host).replaceAll('%%', '%');
    const port = first('port');
    const user = this.#user ?? first('user');
    const tokens = { host: hostName, port: port ?? '22', user: user ?? this.#context.localUser };
    const expand = (value: string): string => this.#expand(value, tokens);
    const agent = none(first('identityagent'));
    const files = this.#values.get('userknownhostsfile')?.[0]?.filter((file) => file.toLowerCase() !== 'none');
    const jumps = none(first('proxyjump'));
    return {
      hostName,
      user,
      port: port === undefined ? undefined : Number(port),
      identityFiles: (this.#values.get('identityfile') ?? [])
        .flat()
        .filter((file) => none(file))
        .map(expand),
      identitiesOnly: isYes(first('identitiesonly')),
      identityAgent: agent === 'SSH_AUTH_SOCK' ? undefined : agent && expand(agent),
      proxyJump: jumps?.split(',').map((jump) => jump.trim()) ?? [],
      proxyCommand: none(this.#values.get('proxycommand')?.[0]?.join(' ')),
      knownHostsFiles: files?.map(expand),
      strict: isYes(first('stricthostkeychecking')),
      hostKeyAlias: first('hostkeyalias'),
    };
  }

  #set(name: string, words: string[]): void {
    const values = this.#values.get(name);
    if (!values) this.#values.set(name, [words]);
    else if (LISTS.has(name)) values.push(words);
  }

  #matchesHost(patterns: readonly string[], name = this.#host): boolean {
    let found = false;
    for (const pattern of patterns) {
      const negated = pattern.startsWith('!');
      if (!matchesPattern(negated ? pattern.slice(1) : pattern, name)) continue;
      if (negated) return false;
      found = true;
    }
    return found;
  }

  /** `all`, `host`, `originalhost`, `user` and `localuser`; a block with another condition does not apply. */
  #matchesAll(words: readonly string[]): boolean {
    for (let i = 0; i < words.length; i++) {
      const word = words[i]?.toLowerCase() ?? '';
      if (word === 'all' || word === 'final' || word === 'canonical') {
        if (word !== 'all') return false;
        continue;
      }
      const negated = word.startsWith('!');
      const value = this.#conditionValue(negated ? word.slice(1) : word);
      if (value === undefined) return false;
      const matched = this.#matchesHost((words[++i] ?? '').split(','), value);
      if (matched === negated) return false;
    }
    return true;
  }

  #conditionValue(condition: string): string | undefined {
    const first = (name: string): string | undefined => this.#values.get(name)?.[0]?.[0];
    switch (condition) {
      case 'host':
        return (first('hostname') ?? this.#host).replaceAll('%h', this.#host);
      case 'originalhost':
        return this.#host;
      case 'user':
        return this.#user ?? first('user') ?? this.#context.localUser;
      case 'localuser':
        return this.#context.localUser;
      default:
        return undefined;
    }
  }

  async #include(patterns: readonly string[], depth: number): Promise<void> {
    for (const pattern of patterns) {
      const path = this.#home(pattern);
      const full = isAbsolute(path) ? path : join(this.#context.home, '.ssh', path);
      for (const file of await expandGlob(full)) await this.read(file, depth + 1);
    }
  }

  #home(path: string): string {
    return path === '~' || path.startsWith('~/') ? join(this.#context.home, path.slice(1)) : path;
  }

  #expand(value: string, tokens: { host: string; port: string; user: string }): string {
    const { home, localUser, env } = this.#context;
    const known: Readonly<Record<string, string>> = {
      '%': '%',
      h: tokens.host,
      p: tokens.port,
      r: tokens.user,
      d: home,
      u: localUser,
      n: this.#host,
    };
    return this.#home(value)
      .replace(/%(.)/g, (whole, letter: string) => known[letter] ?? whole)
      .replace(/\$\{(\w+)\}/g, (whole, name: string) => env[name] ?? whole);
  }
}

/** The files that a path with `*` and `?` means, sorted. */
async function expandGlob(path: string): Promise<string[]> {
  let found = ['/'];
  for (const part of path.split('/').filter(Boolean)) {
    const deeper = found.map(async (dir) => {
      if (!/[*?]/.test(part)) return [join(dir, part)];
      const names = await readdir(dir).catch(() => []);
      const fitting = names.filter(
        (name) => matchesPattern(part, name) && (part.startsWith('.') || !name.startsWith('.')),
      );
      return fitting.sort().map((name) => join(dir, name));
    });
    found = (await Promise.all(deeper)).flat();
  }
  return found;
}

function isYes(value: string | undefined): boolean {
  return value !== undefined && /^(yes|true)$/i.test(value);
}

/** `Keyword value`, `Keyword=value`, values in double quotes; a `#` begins a comment. */
function splitLine(line: string, where: string): string[] {
  const match = line.trim().match(/^([A-Za-z0-9]+)(?:\s*=\s*|\s+|$)(.*)$/);
  if (!match) return [];
  const words: string[] = [match[1] ?? ''];
  for (const [, quoted, bare, comment] of (match[2] ?? '').matchAll(/"([^"]*)"|([^\s"#][^\s"]*)|(#.*)|"/g)) {
    if (comment !== undefined) break;
    const word = quoted ?? bare;
    if (word === undefined) throw kubexmError('KX3017', { file: where, detail: 'a quote is not closed' });
    words.push(word);
  }
  return words;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw kubexmError('KX3017', { file, detail: (error as Error).message }, { cause: error });
  }
}
