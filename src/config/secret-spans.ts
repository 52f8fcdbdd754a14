import type { Scan, Token } from './scan.ts';
import type { Span } from './source.ts';
import { dataOf, type Tree } from './tree.ts';

/** Misspelt passwords are passwords too. Repetitions are bounded, or a long line would take time by its square. */
const WORD = '(?:as{1,4}w|ssw|pass(?!\\w)|pwd|passphrase|secret|token|privatekey)\\w{0,40}';
const NAME = new RegExp(`^(?!.*path$).{0,60}${WORD}`, 'i');
const INSIDE = new RegExp(`(?:^|[\\s{,"'])\\w{0,40}${WORD}["']?[ \\t]{0,9}[:：=][ \\t]*(\\S.*)$`, 'i');
/** For lines of which nothing is understood: what follows a telling name and a colon. */
const ANYWHERE = new RegExp(`(${WORD}["'”]?[ \\t]{0,9}[:：=][ \\t]*)("[^"]*"?|'[^']*'?|[^\\n]*)`, 'gi');
const REFERENCE = /^["'“]?(env:|file:|prompt)/;

/** Whether a key names a secret. */
export function namesSecret(key: string): boolean {
  return key.length <= 200 && NAME.test(key);
}

/** Where secrets stand, judged by the names of keys: it also works where the document cannot be read. */
export function secretSpans(text: string, scanned: Scan): readonly Span[] {
  const spans: Span[] = [];
  let pending: 'no' | 'value' | 'block' = 'no';
  let keyEnd = 0;
  for (const token of scanned.tokens) {
    const word = text.slice(token.start, token.end);
    if (token.kind === 'block') {
      if (pending === 'block') spans.push(token);
    } else if (token.isKey) {
      // Two colons on a line: what looks like a key is the secret.
      const sameLine: boolean =
        pending === 'value' && token.flow === 0 && !text.slice(keyEnd, token.start).includes('\n');
      if (sameLine) spans.push(token);
      pending = sameLine || namesSecret(word.replace(/^["']|["']$/g, '')) ? 'value' : 'no';
      keyEnd = token.end;
    } else if (token.kind === 'mark') {
      if (pending === 'value' && /^[|>]/.test(word)) pending = 'block';
      else if (/[,}\]-]/.test(word)) pending = 'no';
    } else if (isText(token)) {
      if (pending !== 'no') {
        if (!REFERENCE.test(word)) spans.push(token);
      } else {
        const inside = INSIDE.exec(word);
        if (inside?.[1] !== undefined && !REFERENCE.test(inside[1])) {
          spans.push({ start: token.end - inside[1].length, end: token.end });
        }
      }
      pending = 'no';
    }
  }
  return spans;
}

/** Masks what looks like a secret in a line of text, keeping its length. */
export function maskLine(line: string): string {
  return line.replace(ANYWHERE, (whole, name: string, value: string) => {
    if (REFERENCE.test(value) || /path/i.test(name)) return whole;
    const end = /^["']/.test(value) || !line.includes('{') ? value.length : (/[,}]/.exec(value)?.index ?? value.length);
    return name + '*'.repeat(end) + value.slice(end);
  });
}

/** The stretches of all scalars below a value that must not be shown. */
export function scalarSpans(tree: Tree): readonly Span[] {
  if (tree.kind === 'scalar') return REFERENCE.test(String(dataOf(tree))) ? [] : [tree.at];
  const below = tree.kind === 'list' ? tree.items : [...tree.entries.values()].map((entry) => entry.value);
  return below.flatMap(scalarSpans);
}

function isText(token: Token): boolean {
  return token.kind === 'plain' || token.kind === 'quoted' || token.kind === 'smart' || token.kind === 'range';
}
