import { BlockList, isIP } from 'node:net';

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The proxy for an address as the usual variables say, or none. */
export function proxyFor(url: URL, env: Env): URL | undefined {
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const text = variable(env, name) ?? variable(env, 'all_proxy');
  if (text === undefined || bypasses(url, variable(env, 'no_proxy') ?? '')) return undefined;
  const full = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(full)) return undefined;
  const proxy = new URL(full);
  return proxy.protocol === 'http:' || proxy.protocol === 'https:' ? proxy : undefined;
}

/** Whether NO_PROXY names the host: `*`, a name and all below it, an address, a range in CIDR, each with an optional port. */
export function bypasses(url: URL, noProxy: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry.toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const withPort = /^(\[[^\]]*\]|[^:]+):([0-9]+)$/.exec(entry);
  if (withPort !== null && withPort[2] !== port) return false;
  const name = (withPort?.[1] ?? entry).replace(/^\[|\]$/g, '');
  if (name.includes('/')) return inRange(name, host);
  if (isIP(name) !== 0 || isIP(host) !== 0) return name === host;
  const bare = name.replace(/^\*?\./, '');
  return host === bare || host.endsWith(`.${bare}`);
}

function inRange(range: string, host: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const family = isIP(host);
  if (family === 0 || isIP(network) !== family || !/^[0-9]{1,3}$/.test(bits)) return false;
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** curl's rule: lower case first; HTTP_PROXY in upper case too, since kubexm is no CGI script. */
function variable(env: Env, name: string): string | undefined {
  const value = env[name] ?? env[name.toUpperCase()];
  return value === undefined || value === '' ? undefined : value;
}
