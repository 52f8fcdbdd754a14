import { dataOf, type Tree } from './tree.ts';
import type { Scan, Token } from './scan.ts';
import type { Span } from './source.ts';

const NAME = /^(?!.*path$)(.*(password|passphrase|secret|token).*|privatekey)$/i;
const INSIDE = /(?:^|[\s{,"'])\w*(?:password|passphrase|secret|token|privatekey)["']?[ \t]*[:：=][ \t]*(\S.*)$/i;
const REFERENCE = /^["'“]?(env:|file:|prompt)/;

/** Whether a key names a secret. */
export function namesSecret(key: string): boolean {
  return NAME.test(key);
}

/** Where secrets stand, told from the names of keys: it also works where the document cannot be read. */
export function secretSpans(text: string, scanned: Scan): readonly Span[] {
  const spans: Span[] = [];
  let pending: 'no' | 'value' | 'block' = 'no';
  for (const token of scanned.tokens) {
    const word = text.slice(token.start, token.end);
    if (token.kind === 'block') {
      if (pending === 'block') spans.push(token);
    } else if (token.isKey) {
      pending = NAME.test(word.replace(/^["']|["']$/g, '')) ? 'value' : 'no';
    } else if (token.kind === 'mark') {
      if (pending === 'value' && /^[|>]/.test(word)) pending = 'block';
      else if (/[,}\]-]/.test(word)) pending = 'no';
    } else if (isText(token)) {
      if (pending === 'value') {
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

/** The stretches of all scalars below a value that must not be shown. */
export function scalarSpans(tree: Tree): readonly Span[] {
  if (tree.kind === 'scalar') return REFERENCE.test(String(dataOf(tree))) ? [] : [tree.at];
  const below = tree.kind === 'list' ? tree.items : [...tree.entries.values()].map((entry) => entry.value);
  return below.flatMap(scalarSpans);
}

function isText(token: Token): boolean {
  return token.kind === 'plain' || token.kind === 'quoted' || token.kind === 'smart' || token.kind === 'range';
}
