/** A change to a shell script, as the text of the literal that holds it. */
export interface ShellMutation {
  readonly kind: string;
  readonly text: string;
}

const SWAPS: readonly (readonly [pattern: RegExp, other: string])[] = [
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/(?<=\[ [^\]\n]*) = (?=[^\]\n]*\])/g, ' != '],
  [/(?<=\[ [^\]\n]*) != (?=[^\]\n]*\])/g, ' = '],
  [/(?<=\[ (?:! )?)-n (?=[^\]\n]*\])/g, '-z '],
  [/(?<=\[ (?:! )?)-z (?=[^\]\n]*\])/g, '-n '],
  [/(?<=\[ )! (?=-)/g, ''],
  [/(?<=\[ )(?=-[defhLrsx] )/g, '! '],
  [/(?<=\[ [^\]\n]* )-lt(?= )/g, '-le'],
  [/(?<=\[ [^\]\n]* )-le(?= )/g, '-lt'],
  [/(?<=\[ [^\]\n]* )-gt(?= )/g, '-ge'],
  [/(?<=\[ [^\]\n]* )-ge(?= )/g, '-gt'],
  [/(?<=\[ [^\]\n]* )-eq(?= )/g, '-ne'],
  [/(?<=\[ [^\]\n]* )-ne(?= )/g, '-eq'],
  [/(?<=(?:^|[\s;{])(?:return|exit) )0/g, '1'],
  [/(?<=(?:^|[\s;{])(?:return|exit) )1/g, '0'],
];

/** What looks like a test or a chain of commands. Other templates are words for people. */
const SHELL = /\[ .* \]|(?:^|[\s;])(?:return|exit) \d|\$\{?[a-z_]+|[|&]{2}/;

/** The mutants of a template literal that holds a script, its code and its comments left as they are. */
export function shellMutations(literal: string): readonly ShellMutation[] {
  const looked = scripted(literal);
  return SHELL.test(looked) ? swaps(literal, looked) : [];
}

/** The mutants of a script in a file of its own, and where they begin. */
export function scriptMutations(text: string): readonly (ShellMutation & { readonly index: number })[] {
  return swaps(
    text,
    text.replace(/^\s*#.*$/gm, (comment) => blank(comment)),
  );
}

/** `looked`: the text with everything blanked that stays as it is. */
function swaps(text: string, looked: string): readonly (ShellMutation & { readonly index: number })[] {
  return SWAPS.flatMap(([pattern, other]) =>
    [...looked.matchAll(pattern)].map(({ index, 0: found }) => ({
      kind: `shell: ${found.trim() || 'test'} becomes ${other.trim() || 'its opposite'}`,
      text: text.slice(0, index) + other + text.slice(index + found.length),
      index,
    })),
  );
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, '·');
}

/** The literal with everything blanked, in place, that is no shell: `${…}` of the program, comments of the script. */
function scripted(literal: string): string {
  return withoutCode(literal).replace(/(?<=^`?|\n)\s*#[^\n]*/g, blank);
}

function withoutCode(literal: string): string {
  let out = '';
  let at = 0;
  while (at < literal.length) {
    if (literal[at] === '\\') {
      out += literal.slice(at, at + 2);
      at += 2;
    } else if (literal.startsWith('${', at)) {
      const end = closing(literal, at + 2);
      out += blank(literal.slice(at, end));
      at = end;
    } else {
      out += literal[at];
      at++;
    }
  }
  return out;
}

/** Behind the brace that ends `${`. Braces in strings of such code are rare enough to be taken as they come. */
function closing(text: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; at < text.length && depth > 0; at++) {
    if (text[at] === '{') depth++;
    if (text[at] === '}') depth--;
  }
  return at;
}
