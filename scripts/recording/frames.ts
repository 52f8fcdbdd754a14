import { type ScreenLine, Terminal } from './terminal.ts';

/** Something that a command wrote, and when. */
export interface Written {
  readonly seconds: number;
  readonly text: string;
}

/** What a terminal did in a while. */
export interface Recording {
  readonly columns: number;
  readonly rows: number;
  readonly output: readonly Written[];
}

/** What the screen shows from a moment on. */
export interface Frame {
  readonly seconds: number;
  readonly lines: readonly ScreenLine[];
}

/** How a recording is played. */
export interface Pace {
  /** How long all of it takes, at most. */
  readonly seconds: number;
  /** How long the last frame stays, as a part of that. */
  readonly last: number;
  /** While nothing happens but clocks and counters going on, no more than this passes. */
  readonly idle: number;
  /** Frames that follow each other faster are left out. */
  readonly least: number;
}

const keyOf = (lines: readonly ScreenLine[]): string => JSON.stringify(lines);
const textOf = (line: ScreenLine): string => line.map(({ text }) => text).join('');

/** The frames of a recording, as they were. */
export function framesOf({ columns, rows, output }: Recording): Frame[] {
  const terminal = new Terminal(columns, rows);
  const frames: Frame[] = [{ seconds: 0, lines: terminal.lines() }];
  let shown = keyOf(terminal.lines());
  for (const { seconds, text } of output) {
    terminal.write(text);
    if (terminal.isHeld) continue;
    const lines = terminal.lines();
    const key = keyOf(lines);
    if (key === shown) continue;
    shown = key;
    frames.push({ seconds, lines });
  }
  return frames;
}

/** The same frames in less time: first what is idle goes, then everything becomes faster. */
export function paced(frames: readonly Frame[], pace: Pace): Frame[] {
  const busy = withoutIdle(frames, pace.idle);
  const end = busy.at(-1)?.seconds ?? 0;
  const faster = Math.min(1, (pace.seconds - pace.last) / end || 1);
  const kept: Frame[] = [];
  let shown = '';
  busy.forEach((frame, i) => {
    const seconds = frame.seconds * faster;
    const next = busy[i + 1];
    // Of frames too close to each other the last one is shown: it is what the others became.
    if (next !== undefined && next.seconds * faster - (kept.at(-1)?.seconds ?? -pace.least) < pace.least) return;
    const key = keyOf(frame.lines);
    if (key === shown) return;
    shown = key;
    kept.push({ seconds: Math.max(seconds, (kept.at(-1)?.seconds ?? -pace.least) + pace.least), lines: frame.lines });
  });
  return kept;
}

/** Frames between two that really differ share the time that is left of it. */
function withoutIdle(frames: readonly Frame[], idle: number): Frame[] {
  const starts = frames.flatMap((frame, i) => {
    const before = frames[i - 1];
    return before === undefined || meaning(before) !== meaning(frame) ? [i] : [];
  });
  const moved: Frame[] = [];
  let at = 0;
  starts.forEach((start, i) => {
    const stretch = frames.slice(start, starts[i + 1] ?? frames.length);
    const first = stretch[0]?.seconds ?? 0;
    const lasted = (frames[starts[i + 1] ?? frames.length - 1]?.seconds ?? first) - first;
    const faster = lasted > idle ? idle / lasted : 1;
    for (const { seconds, lines } of stretch) moved.push({ seconds: at + (seconds - first) * faster, lines });
    at += lasted * faster;
  });
  return moved;
}

/** What a frame says, without its numbers: clocks go on all the time. */
function meaning({ lines }: Frame): string {
  return lines
    .map(textOf)
    .join('\n')
    .replaceAll(/\d+ min|[\d.]+|[━─]/g, '')
    .replaceAll(/ +/g, ' ');
}
