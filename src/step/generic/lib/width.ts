const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many columns of a terminal a text takes: Chinese, Japanese, Korean and emoji take two each. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** A text filled up with spaces to a width. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

function graphemeWidth(segment: string): number {
  const code = segment.codePointAt(0) ?? 0;
  if (/^[\p{Cc}\p{Cf}\p{Mn}\p{Me}]/u.test(segment)) return 0;
  if (/^\p{Emoji_Presentation}|\ufe0f/u.test(segment)) return 2;
  return isWide(code) ? 2 : 1;
}

/** Blocks that Unicode's East Asian Width calls wide or full-width. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

function isWide(code: number): boolean {
  return WIDE.some(([from, to]) => code >= from && code <= to);
}
