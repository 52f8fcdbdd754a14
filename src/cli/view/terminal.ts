import { stripVTControlCharacters } from 'node:util';
import { textWidth } from '../../model/text/width.ts';

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
    // One lasting line more is one line of the frame lower: everything is overwritten, nothing has to be cleared first.
    const isSame = this.screen.columns === this.columns;
    const start = isSame ? up(this.shown.length) : this.home();
    const text = `${start}${lines.map(ended).join('')}${this.shown.map(ended).join('')}`;
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

  /** To the first line of the frame, with all of its lines cleared. */
  private home(): string {
    const rows = this.shown.reduce((sum, line) => sum + this.rowsOf(line), 0);
    return `${up(rows)}${cleared(rows)}`;
  }

  // A terminal that became narrower has broken the old lines.
  private rowsOf(line: string): number {
    return Math.max(1, Math.ceil(textWidth(stripVTControlCharacters(line)) / Math.max(1, this.screen.columns)));
  }

  private difference(lines: readonly string[]): string {
    const { shown } = this;
    if (lines.length === shown.length && lines.every((line, i) => line === shown[i])) return '';
    let text = up(shown.length);
    lines.forEach((line, i) => {
      text += i < shown.length && line === shown[i] ? '\x1b[1B' : `${line}\x1b[K\r\n`;
    });
    return text + cleared(shown.length - lines.length);
  }
}

// The cursor's own line is empty, unless the terminal wrote `^C` there.
function up(rows: number): string {
  return rows > 0 ? `\r\x1b[2K\x1b[${rows}A` : '\r\x1b[2K';
}

// Line by line: some terminals keep what is cleared in one go among the lines that scrolled away.
function cleared(rows: number): string {
  return rows > 0 ? `${'\x1b[2K\x1b[1B'.repeat(rows)}${up(rows)}` : '';
}

function ended(line: string): string {
  return `${line}\x1b[K\r\n`;
}
