import { clip, columns } from './words.ts';

/** How a piece of a line looks. Colour only repeats what the words say. */
export type Look = 'plain' | 'bold' | 'dim' | 'warn' | 'good' | 'bad' | 'accent';

/** A piece of a line. */
export type Piece = string | { readonly text: string; readonly look: Look };

const CODES: Readonly<Record<Look, readonly [number, number] | undefined>> = {
  plain: undefined,
  bold: [1, 22],
  dim: [2, 22],
  warn: [33, 39],
  good: [32, 39],
  bad: [31, 39],
  accent: [36, 39],
};

/** Makes lines of a terminal's width. */
export interface Painter {
  readonly width: number;
  line(...pieces: readonly Piece[]): string;
}

/** A painter for a width, with or without colour. */
export function painter(width: number, color: boolean): Painter {
  const dye = (text: string, look: Look): string => {
    const code = CODES[look];
    return color && code && text !== '' ? `\u001b[${code[0]}m${text}\u001b[${code[1]}m` : text;
  };
  return {
    width,
    line(...pieces) {
      let left = width;
      const shown = pieces.map((piece): { text: string; readonly look: Look } => {
        const { text, look } = typeof piece === 'string' ? { text: piece, look: 'plain' as const } : piece;
        const clipped = clip(text, left);
        left -= columns(clipped);
        return { text: clipped, look };
      });
      for (let last = shown.at(-1); last; last = shown.at(-1)) {
        last.text = last.text.trimEnd();
        if (last.text !== '') break;
        shown.pop();
      }
      return shown.map(({ text, look }) => dye(text, look)).join('');
    },
  };
}

/** Breaks a text at blanks into lines of at most so many columns. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && columns(longer) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}
