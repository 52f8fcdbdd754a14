import type { ErrorCode, ErrorParams } from '../model/errors/index.ts';
import type { Edit } from './edited-text.ts';
import { knownKeys } from './introspect.ts';
import { unicodeName } from './problem.ts';
import { ODD_SPACE, type Scan, type Token } from './scan.ts';

/** A slip of the keyboard and how the text would go on without it. */
export interface Slip {
  readonly code: ErrorCode;
  readonly params: Readonly<Record<string, string | number>>;
  readonly at: number;
  readonly length: number;
  readonly edits: readonly Edit[];
  /** Part of a series of which only the first is reported. */
  readonly silent?: true;
}

const keys = knownKeys();
const HAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const ZERO_WIDTH = /[\u180e\u200b-\u200d\u2060\ufeff]/;
const BRACKETS: Readonly<Record<string, string>> = {
  '［': '[',
  '］': ']',
  '｛': '{',
  '｝': '}',
  '【': '[',
  '】': ']',
  '〔': '[',
  '〕': ']',
};
/** With more slips than this nobody can tell what was meant. */
export const MAX_SLIPS = 500;

/** Finds what people type instead of YAML's punctuation. */
export function findSlips(text: string, scanned: Scan): readonly Slip[] {
  const slips: Slip[] = [...strangeCharacters(text)];
  let tabbed = -2;
  let line = 0;
  for (const [i, token] of scanned.tokens.entries()) {
    if (slips.length > MAX_SLIPS) break;
    if (token.kind === 'indent') {
      line = token.start;
      const next = scanned.tokens[i + 1];
      const bare = next === undefined || next.kind === 'comment' || text[token.end] === '\n';
      if (token.flow > 0 || bare) continue;
      slips.push(...indentation(text, token, tabbed !== previousLine(text, line)));
      if (text.slice(token.start, token.end).includes('\t')) tabbed = line;
    } else slips.push(...inToken(text, token, scanned.tokens[i - 1]));
  }
  return slips;
}

/** Whether tabs and spaces are mixed so that nobody can tell what belongs to what. */
export function mixesTabs(text: string): boolean {
  return /^[ \t]*\t/m.test(text) && /^(\t+ | +\t| {2})[^\n]*\S/m.test(text);
}

function slip<C extends ErrorCode>(
  code: C,
  params: ErrorParams<C>,
  at: number,
  length: number,
  edits: readonly Edit[] = [],
): Slip {
  return { code, params: params as Slip['params'], at, length, edits };
}

/** Control characters, and characters that reorder the text on the screen. */
function strangeCharacters(text: string): readonly Slip[] {
  const found: Slip[] = [];
  const strange = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu;
  for (const match of text.matchAll(strange)) {
    if (found.length > MAX_SLIPS) break;
    const char = match[0];
    const code = /[\p{Cc}\p{Cs}]/u.test(char) ? 'KX2010' : 'KX2017';
    found.push(slip(code, { char: unicodeName(char) }, match.index, 1, [{ at: match.index, remove: 1, insert: ' ' }]));
  }
  return found;
}

function indentation(text: string, token: Token, first: boolean): readonly Slip[] {
  const found: Slip[] = [];
  const indent = text.slice(token.start, token.end);
  const odd = ODD_SPACE.exec(indent);
  if (odd !== null) found.push(oddSpace(indent, odd.index, token.start, '  '));
  const tab = indent.indexOf('\t');
  if (tab !== -1) {
    const edits = [...indent.matchAll(/\t/g)].map((one) => ({ at: token.start + one.index, remove: 1, insert: '  ' }));
    // One message for a run of lines; the edits are needed for each.
    const tabs = slip('KX2105', {}, token.start + tab, indent.length - tab, edits);
    found.push(first ? tabs : { ...tabs, silent: true });
  }
  return found;
}

function inToken(text: string, token: Token, before: Token | undefined): readonly Slip[] {
  const word = text.slice(token.start, token.end);
  switch (token.kind) {
    case 'smart':
      return [smartQuotes(word, token)];
    case 'range':
      return [
        slip('KX2112', { text: word }, token.start, word.length, [
          { at: token.start, remove: 0, insert: '"' },
          { at: token.end, remove: 0, insert: '"' },
        ]),
      ];
    case 'quoted': {
      // Opened straight and closed curly: the text runs on into later lines.
      const curly = word.includes('\n') ? /^[^\n"']*?[“”„‟＂‘’＇](?=[ \t]*([,}\]#]|\n))/.exec(word.slice(1)) : null;
      if (curly !== null) {
        const at = token.start + curly[0].length;
        return [slip('KX2103', { char: text[at] ?? '' }, at, 1, [{ at, remove: 1, insert: word[0] ?? '"' }])];
      }
      const hidden = ZERO_WIDTH.exec(word);
      return hidden === null ? [] : [oddSpace(word, hidden.index, token.start)];
    }
    case 'plain':
      return plainSlips(text, word, token, before);
    default:
      return [];
  }
}

function plainSlips(text: string, word: string, token: Token, before: Token | undefined): readonly Slip[] {
  const found = listMark(word, token) ?? noSpaceAfterColon(word, token);
  if (found !== undefined) return [found];
  if (!/[^\0-\x7f]/.test(word)) return [];
  const wideMark = fullWidthColon(text, word, token, before) ?? bracket(word, token);
  if (wideMark !== undefined) return [wideMark];
  const comma = token.flow > 0 ? /[，、]/.exec(word) : null;
  if (comma !== null) {
    const at = token.start + comma.index;
    return [slip('KX2102', { char: comma[0] }, at, 1, [{ at, remove: 1, insert: ',' }])];
  }
  const sign = /(?<=^|\s)＃/.exec(word);
  if (sign !== null) {
    const at = token.start + sign.index;
    return [slip('KX2111', {}, at, 1, [{ at, remove: 1, insert: '#' }])];
  }
  const closing = /[［］｛｝【】〔〕]/.exec(word);
  if (closing !== null && (token.flow > 0 || !HAN.test(word))) {
    const at = token.start + closing.index;
    const ascii = BRACKETS[closing[0]] ?? '';
    return [slip('KX2110', { char: closing[0], ascii }, at, 1, [{ at, remove: 1, insert: ascii }])];
  }
  if (HAN.test(word)) return [];
  const odd = ODD_SPACE.exec(word);
  if (odd !== null) return [oddSpace(word, odd.index, token.start)];
  const wide = /[！-～]+/.exec(word);
  if (wide === null) return [];
  const ascii = wide[0].normalize('NFKC');
  const at = token.start + wide.index;
  return [slip('KX2109', { text: wide[0], ascii }, at, ascii.length, [{ at, remove: ascii.length, insert: ascii }])];
}

function listMark(word: string, token: Token): Slip | undefined {
  if (token.flow > 0 || !token.keyPlace) return undefined;
  const wrong = /^([－–—−•●*])\s/.exec(word);
  if (wrong?.[1] !== undefined) {
    const edit = { at: token.start, remove: 1, insert: '-' };
    return slip('KX2108', { char: wrong[1] }, token.start, 1, [edit]);
  }
  if (!/^-[A-Za-z0-9"'[{“]/.test(word)) return undefined;
  return slip('KX2107', {}, token.start, 1, [{ at: token.start + 1, remove: 0, insert: ' ' }]);
}

function fullWidthColon(text: string, word: string, token: Token, before: Token | undefined): Slip | undefined {
  const afterQuotes = word.startsWith('：') && before?.kind === 'quoted';
  const match = afterQuotes ? ['', ''] : /^([A-Za-z_][\w./-]*)[ \t]*：/.exec(word);
  if (match === null || (!afterQuotes && !token.keyPlace)) return undefined;
  const key = afterQuotes ? text.slice(before.start + 1, before.end - 1) : (match[1] ?? '');
  const end = afterQuotes ? 1 : (match[0]?.length ?? 1);
  const at = token.start + end - 1;
  const space = /^[\s\u3000]/.test(word.slice(end)) || word.length === end ? '' : ' ';
  return slip('KX2101', { key }, at, 1, [{ at, remove: 1, insert: `:${space}` }]);
}

function noSpaceAfterColon(word: string, token: Token): Slip | undefined {
  const match = token.keyPlace ? /^([A-Za-z_][\w-]*):(?![\s/:])(.+)$/.exec(word) : null;
  if (match?.[1] === undefined || !keys.has(match[1]) || ODD_SPACE.test(word[match[1].length + 1] ?? '')) {
    return undefined;
  }
  // `- host:1053` names a server and its port.
  if (token.inList && /^\d+$/.test(match[2] ?? '')) return undefined;
  const at = token.start + match[1].length;
  return slip('KX2106', { key: match[1] }, at, 1, [{ at: at + 1, remove: 0, insert: ' ' }]);
}

function bracket(word: string, token: Token): Slip | undefined {
  const opening = word[0] ?? '';
  const ascii = BRACKETS[opening];
  if (ascii === undefined) return undefined;
  const edits = [...word].flatMap((char, i) => {
    const insert = BRACKETS[char];
    return insert === undefined ? [] : [{ at: token.start + i, remove: 1, insert }];
  });
  return slip('KX2110', { char: opening, ascii }, token.start, 1, word.length === [...word].length ? edits : []);
}

function smartQuotes(word: string, token: Token): Slip {
  const quote = /["\\]/.test(word.slice(1, -1)) ? "'" : '"';
  return slip('KX2103', { char: word[0] ?? '' }, token.start, 1, [
    { at: token.start, remove: 1, insert: quote },
    { at: token.end - 1, remove: 1, insert: quote },
  ]);
}

function oddSpace(word: string, index: number, start: number, wide = ' '): Slip {
  const char = word[index] ?? '';
  const edits = [...word.matchAll(new RegExp(ODD_SPACE, 'g'))].map((one) => ({
    at: start + one.index,
    remove: 1,
    insert: ZERO_WIDTH.test(one[0]) ? '' : one[0] === '\u3000' ? wide : ' ',
  }));
  return slip('KX2104', { char: unicodeName(char) }, start + index, 1, edits);
}

function previousLine(text: string, lineStart: number): number {
  return lineStart < 2 ? -1 : text.lastIndexOf('\n', lineStart - 2) + 1;
}
