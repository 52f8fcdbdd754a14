import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Frame, framesOf, paced } from '../../scripts/recording/frames.ts';
import { svgOf } from '../../scripts/recording/svg.ts';
import { type ScreenLine, Terminal } from '../../scripts/recording/terminal.ts';
import { LiveRegion } from '../../src/cli/view/terminal.ts';

const textOf = (line: ScreenLine) => line.map(({ text }) => text).join('');
const screenOf = (columns: number, rows: number, ...texts: string[]) => {
  const terminal = new Terminal(columns, rows);
  for (const text of texts) terminal.write(text);
  return terminal.lines().map(textOf);
};

describe('the terminal', () => {
  test.each([
    ['lines', 'a\r\nb', ['a', 'b', '']],
    ['a line that is written over', 'abc\rX', ['Xbc', '', '']],
    ['a line that is too long', 'abcdefgh', ['abcdef', 'gh', '']],
    ['a full line and its end: no empty line between', 'abcdef\r\nx', ['abcdef', 'x', '']],
    ['more lines than rows: the first ones go', '1\r\n2\r\n3\r\n4', ['2', '3', '4']],
    ['wide characters take two columns', '集群证书', ['集群证', '书', '']],
    ['up, and the rest of the line cleared', 'abc\r\ndef\x1b[1A\r\x1b[1CX\x1b[K', ['aX', 'def', '']],
    ['a line cleared', 'abc\x1b[2K\rx', ['x', '', '']],
    ['all below cleared', 'a\r\nb\r\nc\x1b[2A\r\x1b[J', ['', '', '']],
    ['no further than the edges', '\x1b[9Aa\x1b[9B\r\x1b[9Cb', ['a', '', '     b']],
    ['titles and modes show nothing', '\x1b]0;title\x07\x1b[?25la\x1b[?25h', ['a', '', '']],
  ])('%s', (_name, text, lines) => {
    expect(screenOf(6, 3, text)).toEqual(lines);
  });

  test('it does not matter where the output is cut', () => {
    const text = 'ab\x1b[1;31mc\x1b[0m\r\n\x1b]0;t\x1b\\\x1b[1A\x1b[2Kx';
    const whole = screenOf(10, 2, text);
    for (let i = 1; i < text.length; i++) expect(screenOf(10, 2, text.slice(0, i), text.slice(i))).toEqual(whole);
  });

  test('neighbours that look the same are one piece', () => {
    const terminal = new Terminal(40, 1);
    terminal.write('\x1b[1;32mgood\x1b[0m \x1b[2mdim\x1b[22m and \x1b[36mblue\x1b[39m.');
    expect(terminal.lines()[0]?.map(({ text, look }) => [text, look.bold, look.dim, look.color])).toEqual([
      ['good ', true, false, 'green'],
      ['dim ', false, true, undefined],
      ['and ', false, false, undefined],
      ['blue', false, false, 'cyan'],
      ['.', false, false, undefined],
    ]);
  });

  test.each(['\x1b[5n', '\x1b[48;5;1m', '\x1b[1K', '\x07'])('%j is refused, not guessed', (text) => {
    expect(() => screenOf(10, 2, `a${text}b`)).toThrow('does not know');
  });

  test('shows what the live view means', () => {
    const terminal = new Terminal(20, 5);
    const region = new LiveRegion({ columns: 20, rows: 5, write: (text) => terminal.write(text) });
    const screen = () => terminal.lines().map(textOf);
    region.show(['head', 'task 1', 'task 2']);
    region.show(['head', 'task 2']);
    expect(screen()).toEqual(['head', 'task 2', '', '', '']);
    region.print(['lasting 1', 'lasting 2', 'lasting 3']);
    expect(screen()).toEqual(['lasting 2', 'lasting 3', 'head', 'task 2', '']);
    region.close();
    expect(screen()).toEqual(['lasting 2', 'lasting 3', '', '', '']);
  });
});

const recording = (...output: readonly (readonly [number, string])[]) => ({
  columns: 20,
  rows: 2,
  output: output.map(([seconds, text]) => ({ seconds, text })),
});
const shownIn = (frames: readonly Frame[]) => frames.map(({ lines }) => textOf(lines[0] ?? []));

describe('frames', () => {
  test('what is written in one go is one frame, and what shows nothing is none', () => {
    const frames = framesOf(recording([1, '\x1b[?2026ha'], [2, 'b'], [3, 'c\x1b[?2026l'], [4, '\x1b[?25l'], [5, '!']));
    expect(shownIn(frames)).toEqual(['', 'abc', 'abc!']);
    expect(frames.map(({ seconds }) => seconds)).toEqual([0, 3, 5]);
  });

  test('while only the clock goes on, little time passes', () => {
    const ticks = Array.from({ length: 59 }, (_, i): [number, string] => [1 + i, `\rbuild ${i} s`]);
    const frames = framesOf(recording(...ticks, [60, '\r\x1b[2Kdone']));
    const played = paced(frames, { seconds: 30, last: 5, idle: 2, least: 0.1 });
    expect(shownIn(played).at(-1)).toBe('done');
    // A second before it begins, two while it builds.
    expect(played.at(-1)?.seconds).toBeCloseTo(3);
    expect(played.length).toBeGreaterThan(10);
  });

  test('what takes too long becomes faster, and no frame too short', () => {
    const steps = Array.from({ length: 500 }, (_, i): [number, string] => [i, `\r${'x'.repeat(1 + (i % 19))}\x1b[K`]);
    const frames = framesOf(recording(...steps, [500, '\r\x1b[2Kdone']));
    const played = paced(frames, { seconds: 20, last: 5, idle: 2, least: 0.2 });
    const gaps = played.slice(1).map(({ seconds }, i) => seconds - (played[i]?.seconds ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(0.199);
    expect(played.at(-1)?.seconds).toBeLessThanOrEqual(15.2);
    expect(shownIn(played).at(-1)).toBe('done');
    expect(played[0]?.seconds).toBe(0);
  });
});

describe('the picture', () => {
  const frames = framesOf(recording([1, '\x1b[32m✓\x1b[0m a <b> & "c"\r\n'], [2, 'two'], [3, '\x1b[2K'], [4, '\rtwo']));
  const svg = svgOf(frames, { columns: 20, rows: 2, title: 'a & b', seconds: 10 });

  test('is text, each line once, with nothing but its own', () => {
    expect(svg).toContain('<tspan class="green">✓ </tspan>a &lt;b&gt; &amp; &quot;c&quot;</text>');
    expect(svg.match(/>two</g)).toHaveLength(1);
    expect(svg).toContain('aria-label="a &amp; b"');
    expect(svg).not.toMatch(/<script|<image|href|url\(|@import/);
  });

  test('moves the row to what it shows at its time, and stands at the end without motion', () => {
    const second = 'translateY(-19px)';
    expect(svg).toContain(
      `@keyframes r1{0%{transform:translateY(0px)}20%{transform:${second}}30%{transform:translateY(0px)}40%{transform:${second}}}`,
    );
    expect(svg).toContain('<g style="animation-name:r1" transform="translate(0 -19)">');
    expect(svg).toContain('g{animation:10s step-end infinite}');
  });

  test('every element is closed', () => {
    const open: string[] = [];
    for (const [, end, name, empty] of svg.matchAll(/<(\/?)(\w+)[^>]*?(\/?)>/g)) {
      if (end) expect(open.pop()).toBe(name);
      else if (!empty && name) open.push(name);
    }
    expect(open).toEqual([]);
  });
});

const problem = spawnSync('script', ['--version']).status === 0 ? undefined : 'needs script of util-linux';

describe.skipIf(problem)(`scripts/record.mjs${problem ? ` (${problem})` : ''}`, () => {
  const script = fileURLToPath(new URL('../../scripts/record.mjs', import.meta.url));
  const record = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'kubexm-record-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  test('runs a command in a terminal of that size; what it kept makes the same picture again', () => {
    const [file, again, kept] = [join(dir, 'made/a.svg'), join(dir, 'b.svg'), join(dir, 'a.cast')];
    const made = record(
      file,
      '--columns',
      '40',
      '--rows',
      '5',
      '--keep',
      kept,
      '--',
      'sh',
      '-c',
      `stty size; echo "it's"`,
    );
    expect(made.stdout).toMatch(/a\.svg: \d+ frames, \d+ s, \d+ kB\n$/);
    const svg = readFileSync(file, 'utf8');
    expect(svg).toContain('>5 40</text>');
    expect(svg).toContain(">it's</text>");
    expect(record(again, '--from', kept).status).toBe(0);
    expect(readFileSync(again, 'utf8')).toBe(svg);
  });

  test('there is no picture of a command that fails', () => {
    const file = join(dir, 'a.svg');
    const { status, stderr } = record(file, '--', 'sh', '-c', 'exit 3');
    expect(status).toBe(1);
    expect(stderr).toContain('ended with 3');
    expect(existsSync(file)).toBe(false);
  });
});
