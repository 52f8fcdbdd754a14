/** What a reader takes for one character, as far as it matters for columns: an emoji of several parts is one. */
const CHARACTERS = /\p{RGI_Emoji}|./gsv;

/** How many columns of a terminal a text takes: Chinese, Japanese, Korean and emoji take two each. */
export function textWidth(text: string): number {
  if (isAscii(text)) return text.length;
  let width = 0;
  for (const [character] of text.matchAll(CHARACTERS)) width += characterWidth(character);
  return width;
}

/** The text cut to a number of columns, with an ellipsis where something is missing. */
export function cutText(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (text.length <= columns && isAscii(text)) return text;
  let width = 0;
  let kept = '';
  let keptForEllipsis = '';
  for (const [character] of text.matchAll(CHARACTERS)) {
    const own = characterWidth(character);
    if (width + own > columns) return `${keptForEllipsis}…`;
    width += own;
    kept += character;
    if (width <= columns - 1) keptForEllipsis = kept;
  }
  return kept;
}

/** The text filled up with spaces to a number of columns. */
export function padText(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

/** The text filled up in front. */
export function padTextStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - textWidth(text))) + text;
}

/** The text broken into lines of at most so many columns, between words where there are any. */
export function wrapText(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, columns)));
}

function wrapLine(line: string, columns: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of words(line)) {
    const rest = current === '' ? word.trimStart() : word;
    if (current !== '' && textWidth(current) + textWidth(rest.trimEnd()) > columns) {
      lines.push(current.trimEnd());
      current = word.trimStart();
    } else current += rest;
  }
  return [...lines, current.trimEnd()];
}

// A break is possible before a space and on both sides of a wide character, but not before closing punctuation.
function words(line: string): string[] {
  return (
    line.match(
      / +[^ \u2e80-\u{3fffd}]*|[\u2e80-\u{3fffd}][\u3001\u3002\uff01-\uff0f\uff1a-\uff1f\uff5d]*|[^ \u2e80-\u{3fffd}]+/gu,
    ) ?? []
  );
}

function characterWidth(character: string): number {
  // Marks, joiners and selectors take no column of their own.
  if (/^[\p{Cc}\p{Cf}\p{Mn}\p{Me}]/u.test(character)) return 0;
  if (/^\p{RGI_Emoji}$/v.test(character)) return 2;
  return isWide(character.codePointAt(0) ?? 0) ? 2 : 1;
}

/** Blocks that Unicode's East Asian Width calls wide or full-width. */
function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0x303e) ||
    (code >= 0x3041 && code <= 0xa4cf) ||
    (code >= 0xa960 && code <= 0xa97f) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe10 && code <= 0xfe19) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1f64f) ||
    (code >= 0x1f900 && code <= 0x1f9ff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
