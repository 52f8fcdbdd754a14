// Marks, joiners and selectors take no column of their own.
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]$/u;

/** How many columns of a terminal a text takes: Chinese, Japanese, Korean and emoji take two each. */
export function textWidth(text: string): number {
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

/** The text cut to a number of columns, with an ellipsis where something is missing. */
export function cutText(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (text.length <= columns && isAscii(text)) return text;
  let width = 0;
  let kept = '';
  let keptForEllipsis = '';
  for (const char of text) {
    const own = charWidth(char);
    if (width + own > columns) return `${keptForEllipsis}…`;
    width += own;
    kept += char;
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

function charWidth(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return 0;
  if (code < 0x300) return code === 0xad ? 0 : 1;
  if (ZERO.test(char)) return 0;
  return isWide(code, char) ? 2 : 1;
}

function isWide(code: number, char: string): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0x303e) ||
    (code >= 0x3041 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x20000 && code <= 0x3fffd) ||
    /^\p{Emoji_Presentation}$/u.test(char)
  );
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
