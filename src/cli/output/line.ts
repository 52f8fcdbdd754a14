import { cutText, textWidth } from '../../model/text/width.ts';
import type { Paint, Style } from './color.ts';

/** A piece of a line. */
export interface Span {
  readonly text: string;
  readonly style?: Style;
}

/** A line of a terminal before it is painted: as long as nothing is painted, it can be measured and cut. */
export type Line = readonly Span[];

/** A span in short. */
export function span(text: string, style: Style = 'plain'): Span {
  return { text, style };
}

/** Paints a line, cut to a width. With `right`, that part stands at the right edge and is kept whole. */
export function paintLine(left: Line, width: number, paint: Paint, right: Line = []): string {
  const rightWidth = lineWidth(right);
  if (rightWidth > 0 && rightWidth + 8 > width) return paintLine(left, width, paint);
  const room = rightWidth === 0 ? width : width - rightWidth - 1;
  const cut = cutLine(left, room);
  const gap = rightWidth === 0 ? '' : ' '.repeat(width - rightWidth - lineWidth(cut));
  return painted(cut, paint) + gap + painted(right, paint);
}

function lineWidth(line: Line): number {
  return line.reduce((sum, one) => sum + textWidth(one.text), 0);
}

function cutLine(line: Line, width: number): Line {
  const kept: Span[] = [];
  let left = width;
  for (const one of line) {
    if (left <= 0) break;
    const text = cutText(one.text, left);
    kept.push({ ...one, text });
    left -= textWidth(text);
    if (text !== one.text) break;
  }
  return kept;
}

function painted(line: Line, paint: Paint): string {
  return line.map((one) => paint(one.style ?? 'plain', one.text)).join('');
}
