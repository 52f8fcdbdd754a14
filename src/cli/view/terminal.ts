import { stripVTControlCharacters } from 'node:util';
import { textWidth } from '../output/width.ts';

/** What the live view needs of a terminal. */
export interface Screen {
  write(text: string): void;
  readonly columns: number;
  readonly rows: number;
}

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
// Terminals that know it show the frame in one go; the others ignore it.
const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';

/**
 * Keeps a few lines at the bottom of a terminal up to date, and lets lasting lines pass above them. Only lines that differ
 * are written, so nothing flickers.
 */
export class LiveRegion {
  private readonly screen: Screen;
  private shown: readonly string[] = [];
  private columns: number;
  private hidden = false;

  constructor(screen: Screen) {
    this.screen = screen;
    this.columns = screen.columns;
  }

  /** Shows a frame in place of the one before. */
  show(lines: readonly string[]): void {
    const { columns } = this.screen;
    const text = columns === this.columns ? this.difference(lines) : this.home() + lines.map(ended).join('');
    this.columns = columns;
    this.shown = lines;
    if (text !== '') this.write(text);
  }

  /** Writes lines that stay, above the frame. */
  print(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const text = `${this.home()}${lines.map(ended).join('')}${this.shown.map(ended).join('')}`;
    this.columns = this.screen.columns;
    this.write(text);
  }

  /** Takes the frame away and gives the cursor back. */
  close(): void {
    if (!this.hidden && this.shown.length === 0) return;
    this.screen.write(`${this.home()}${SHOW_CURSOR}`);
    this.shown = [];
    this.hidden = false;
  }

  private write(text: string): void {
    const hide = this.hidden ? '' : HIDE_CURSOR;
    this.hidden = true;
    this.screen.write(`${BEGIN}${hide}${text}${END}`);
  }

  /** To the first line of the frame, with everything from there on cleared. */
  private home(): string {
    const up = this.shown.reduce((rows, line) => rows + this.rowsOf(line), 0);
    return `\r${up > 0 ? `\x1b[${up}A` : ''}\x1b[J`;
  }

  // A terminal that became narrower has broken the old lines.
  private rowsOf(line: string): number {
    return Math.max(1, Math.ceil(textWidth(stripVTControlCharacters(line)) / Math.max(1, this.screen.columns)));
  }

  private difference(lines: readonly string[]): string {
    const { shown } = this;
    if (lines.length === shown.length && lines.every((line, i) => line === shown[i])) return '';
    let text = `\r${shown.length > 0 ? `\x1b[${shown.length}A` : ''}`;
    lines.forEach((line, i) => {
      text += i < shown.length && line === shown[i] ? '\x1b[1B' : `${line}\x1b[K\r\n`;
    });
    return lines.length < shown.length ? `${text}\x1b[J` : text;
  }
}

function ended(line: string): string {
  return `${line}\x1b[K\r\n`;
}
