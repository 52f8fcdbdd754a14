import { expect, test } from 'vitest';
import { LiveRegion } from './terminal.ts';

/** As much of a terminal as the region uses: writing, wrapping, moving up and down, clearing. */
class FakeTerminal {
  readonly lines: string[] = [''];
  row = 0;
  cursor = true;
  written = 0;
  columns = 40;
  readonly rows = 24;

  write(text: string): void {
    this.written += text.length;
    expect(text).not.toContain('\x1b[J');
    for (const [token] of text.matchAll(/\x1b\[\??\d*[A-Za-z]|\r|\n|[^\x1b\r\n]+/g)) this.take(token);
  }

  private take(token: string): void {
    const amount = Number(/\d+/.exec(token)?.[0] ?? 1);
    if (token === '\n') this.to(this.row + 1);
    else if (token === '\x1b[?25l') this.cursor = false;
    else if (token === '\x1b[?25h') this.cursor = true;
    else if (/\[\d+A$/.test(token)) this.to(this.row - amount);
    else if (/\[\d+B$/.test(token)) this.to(this.row + amount);
    else if (token === '\x1b[2K') this.lines[this.row] = '';
    else if (!token.startsWith('\x1b') && token !== '\r') this.lines[this.row] = token;
  }

  private to(row: number): void {
    if (row < 0) throw new Error('above the screen');
    this.row = row;
    while (this.lines.length <= row) this.lines.push('');
  }
}

const shown = (terminal: FakeTerminal) => terminal.lines.filter((line, i) => line !== '' || i < terminal.row);

test('a frame takes the place of the one before', () => {
  const terminal = new FakeTerminal();
  const region = new LiveRegion(terminal);
  region.show(['a', 'b', 'c']);
  region.show(['a', 'B']);
  expect(shown(terminal)).toEqual(['a', 'B']);
  region.show(['a', 'B', 'c', 'd']);
  expect(shown(terminal)).toEqual(['a', 'B', 'c', 'd']);
});

test('the same frame writes nothing, a small change little', () => {
  const terminal = new FakeTerminal();
  const region = new LiveRegion(terminal);
  const long = ['x'.repeat(39), 'y'.repeat(39), 'z'];
  region.show(long);
  const first = terminal.written;
  region.show(long);
  expect(terminal.written).toBe(first);
  region.show([...long.slice(0, 2), 'Z']);
  expect(terminal.written - first).toBeLessThan(60);
});

test('lasting lines go above the frame and stay', () => {
  const terminal = new FakeTerminal();
  const region = new LiveRegion(terminal);
  region.show(['frame']);
  region.print(['one', 'two']);
  region.show(['frame 2']);
  expect(shown(terminal)).toEqual(['one', 'two', 'frame 2']);
  region.close();
  expect(shown(terminal)).toEqual(['one', 'two']);
});

test('the cursor is hidden while there is a frame and given back at the end, once', () => {
  const terminal = new FakeTerminal();
  const region = new LiveRegion(terminal);
  region.show(['frame']);
  expect(terminal.cursor).toBe(false);
  region.close();
  expect(terminal.cursor).toBe(true);
  const { written } = terminal;
  region.close();
  expect(terminal.written).toBe(written);
});

test('after a question the frame comes back', () => {
  const terminal = new FakeTerminal();
  const region = new LiveRegion(terminal);
  region.show(['frame']);
  region.close();
  terminal.write('answer\r\n');
  region.show(['frame']);
  expect(shown(terminal)).toEqual(['answer', 'frame']);
  expect(terminal.cursor).toBe(false);
});

test('a narrower terminal has broken the old lines: as many are taken back', () => {
  const terminal = new FakeTerminal();
  const region = new LiveRegion(terminal);
  region.show(['x'.repeat(40), 'y']);
  // What a terminal does when it shrinks to half.
  terminal.columns = 20;
  terminal.lines.splice(0, 2, 'x'.repeat(20), 'x'.repeat(20), 'y');
  terminal.row = 3;
  region.show(['new']);
  expect(shown(terminal)).toEqual(['new']);
});
