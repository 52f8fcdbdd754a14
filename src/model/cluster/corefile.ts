/** The plugins that CoreDNS is built with. */
export const COREDNS_PLUGINS: readonly string[] =
  `acl any auto autopath azure bind bufsize cache cancel chaos clouddns debug dns64 dnssec dnstap erratic errors etcd file forward
  geoip grpc header health hosts k8s_external kubernetes loadbalance local log loop metadata minimal multisocket nomad nsid pprof
  prometheus quic ready reload rewrite root route53 secondary sign template timeouts tls trace transfer tsig view whoami on`.split(
    /\s+/,
  );

/** A line of the outermost level: the name of a plugin and its arguments. */
export interface Directive {
  readonly words: readonly string[];
  readonly text: string;
}

/** Lines inside a server block of a Corefile, or the text of the first one whose braces or quotes do not match. */
export function parseDirectives(text: string): { readonly directives: readonly Directive[]; readonly wrong?: string } {
  const directives: Directive[] = [];
  let depth = 0;
  let opened = '';
  for (const line of text.split('\n')) {
    const words = wordsOf(line);
    if (words === undefined) return { directives, wrong: line.trim() };
    const [first] = words;
    if (first === undefined) continue;
    const closes = first === '}';
    const opens = words.at(-1) === '{';
    const inside = words.slice(closes ? 1 : 0, opens ? -1 : undefined);
    // A brace is a word of its own: at the end of a line, or alone on one.
    if (inside.some((word) => word === '{' || word === '}') || (closes && words.length > 1)) {
      return { directives, wrong: line.trim() };
    }
    if (closes && depth === 0) return { directives, wrong: line.trim() };
    if (depth === 0) {
      directives.push({ words, text: line.trim() });
      opened = line.trim();
    }
    depth += (opens ? 1 : 0) - (closes ? 1 : 0);
  }
  return depth > 0 ? { directives, wrong: opened } : { directives };
}

/** The words of a line without its comment; undefined if a quote is left open. */
function wordsOf(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let rest = line.trim();
  while (rest !== '' && !rest.startsWith('#')) {
    const match = /^"(?:[^"\\]|\\.)*"(?=\s|$)|^[^\s"]\S*/.exec(rest);
    if (match === null) return undefined;
    words.push(match[0]);
    rest = rest.slice(match[0].length).trimStart();
  }
  return words;
}

const REWRITTEN = ['name', 'type', 'class', 'edns0', 'ttl', 'cname', 'rcode'];

/** Whether the words after `rewrite` are a rule: `[continue|stop] name exact a b`, or a block of them. */
export function isRewriteRule(words: readonly string[]): boolean {
  const [first = '', ...rest] = words[0] === 'continue' || words[0] === 'stop' ? words.slice(1) : words;
  if (first === '{') return words.length > 1 && rest.length === 0;
  return REWRITTEN.includes(first) && rest.filter((word) => word !== '{').length >= 2;
}
