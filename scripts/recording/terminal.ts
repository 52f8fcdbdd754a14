import { textWidth } from '../../src/model/text/width.ts';

const COLORS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** One of the eight colours every terminal has. */
export type Color = (typeof COLORS)[number];

/** How a piece of text looks. */
export interface Look {
  readonly bold: boolean;
  readonly dim: boolean;
  readonly color: Color | undefined;
}

/** Neighbours in a line that look the same. */
export interface Piece {
  readonly text: string;
  readonly look: Look;
}

/** A line of the screen, without the empty cells at its end. */
export type ScreenLine = readonly Piece[];

interface Cell {
  /** Empty: the right half of a wide character. */
  readonly text: string;
  readonly look: Look;
}

const PLAIN: Look = { bold: false, dim: false, color: undefined };
const BLANK: Cell = { text: ' ', look: PLAIN };
const TOKEN = /\x1b\[([?\d;]*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\r\n\b]|[^\x00-\x1f\x7f]/gu;
const UNFINISHED = /\x1b(?:\[[?\d;]*|\][^\x07\x1b]*\x1b?)?$/;

/** As much of a terminal as kubexm uses. What it does not know is an error: a picture must not be wrong in silence. */
export class Terminal {
  private readonly columns: number;
  private readonly rows: number;
  private cells: Cell[][];
  private row = 0;
  private column = 0;
  private look = PLAIN;
  private rest = '';
  private held = false;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
    this.cells = Array.from({ length: rows }, () => this.blankRow());
  }

  /** Whether a frame is being written that is to be shown in one go. */
  get isHeld(): boolean {
    return this.held;
  }

  write(text: string): void {
    const all = this.rest + text;
    this.rest = UNFINISHED.exec(all)?.[0] ?? '';
    const whole = all.slice(0, all.length - this.rest.length);
    let end = 0;
    for (const token of whole.matchAll(TOKEN)) {
      if (token.index > end) throw unknown(whole.slice(end, token.index));
      end = token.index + token[0].length;
      if (token[2] !== undefined) this.control(token[1] ?? '', token[2]);
      else if (!token[0].startsWith('\x1b]')) this.character(token[0]);
    }
    if (end < whole.length) throw unknown(whole.slice(end));
  }

  /** What the screen shows. */
  lines(): readonly ScreenLine[] {
    return this.cells.map((cells) => {
      const end = cells.findLastIndex(({ text }) => text !== ' ') + 1;
      const pieces: { text: string; look: Look }[] = [];
      for (const { text, look } of cells.slice(0, end)) {
        const last = pieces.at(-1);
        // A space looks the same in every colour.
        if (last && (text === ' ' || isSame(last.look, look))) last.text += text;
        else pieces.push({ text, look });
      }
      return pieces;
    });
  }

  private character(text: string): void {
    if (text === '\r') this.column = 0;
    else if (text === '\n') this.down();
    else if (text === '\b') this.column = Math.max(0, this.column - 1);
    else this.put(text);
  }

  private put(text: string): void {
    const width = textWidth(text);
    if (this.column + width > this.columns) {
      this.column = 0;
      this.down();
    }
    for (let i = 0; i < width; i++) this.set(this.column + i, { text: i === 0 ? text : '', look: this.look });
    this.column += width;
  }

  private control(given: string, letter: string): void {
    if (given.startsWith('?') && (letter === 'h' || letter === 'l')) {
      if (given === '?2026') this.held = letter === 'h';
      return;
    }
    const amount = Math.max(1, Number(given) || 1);
    if (letter === 'm') this.look = looked(this.look, given);
    else if (letter === 'A') this.row = Math.max(0, this.row - amount);
    else if (letter === 'B') this.row = Math.min(this.rows - 1, this.row + amount);
    else if (letter === 'C') this.column = Math.min(this.columns - 1, this.column + amount);
    else if (letter === 'D') this.column = Math.max(0, this.column - amount);
    else if (letter === 'G') this.column = Math.min(this.columns, amount) - 1;
    else if (letter === 'K' && (given === '' || given === '0')) this.clear(this.column);
    else if (letter === 'K' && given === '2') this.clear(0);
    else if (letter === 'J' && (given === '' || given === '0')) {
      this.clear(this.column);
      for (let row = this.row + 1; row < this.rows; row++) this.cells[row] = this.blankRow();
    } else throw unknown(`\x1b[${given}${letter}`);
  }

  private set(column: number, cell: Cell): void {
    const cells = this.cells[this.row];
    if (cells) cells[column] = cell;
  }

  private clear(from: number): void {
    for (let column = from; column < this.columns; column++) this.set(column, BLANK);
  }

  private down(): void {
    if (this.row < this.rows - 1) this.row++;
    else this.cells = [...this.cells.slice(1), this.blankRow()];
  }

  private blankRow(): Cell[] {
    return Array.from({ length: this.columns }, () => BLANK);
  }
}

function looked(look: Look, given: string): Look {
  return given.split(';').reduce((now, code) => changed(now, Number(code)), look);
}

function changed(look: Look, code: number): Look {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, dim: true };
  if (code === 22) return { ...look, bold: false, dim: false };
  if (code === 39) return { ...look, color: undefined };
  const color = COLORS[code - 30] ?? COLORS[code - 90];
  if (color === undefined) throw unknown(`\x1b[${code}m`);
  return { ...look, color };
}

function isSame(a: Look, b: Look): boolean {
  return a.bold === b.bold && a.dim === b.dim && a.color === b.color;
}

function unknown(text: string): Error {
  return new Error(`the terminal does not know ${JSON.stringify(text)}`);
}
