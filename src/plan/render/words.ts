import { thousands } from '../../model/text/thousands.ts';

/** `1 host`, `5,000 hosts`. */
export function plural(value: number, one: string, more = `${one}s`): string {
  return `${thousands(value)} ${value === 1 ? one : more}`;
}

/** Seconds as people say them: `45 s`, `3 min 20 s`, `1 h 5 min`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return join(`${Math.floor(whole / 60)} min`, whole % 60, 's');
  const minutes = Math.round(whole / 60);
  return join(`${Math.floor(minutes / 60)} h`, minutes % 60, 'min');
}

function join(large: string, small: number, unit: string): string {
  return small === 0 ? large : `${large} ${small} ${unit}`;
}

/** Text that may come from anywhere, safe for a terminal and for one line: control characters become visible. */
export function plain(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (char) =>
    char === '\n' ? '␤' : char === '\t' ? ' ' : '�',
  );
}

/** How many columns a text takes: wide characters take two, marks none. */
export function columns(text: string): number {
  let total = 0;
  for (const char of text) total += columnsOf(char);
  return total;
}

/** A text cut to so many columns, with a sign that it was. */
export function clip(text: string, width: number): string {
  if (columns(text) <= width) return text;
  let out = '';
  let used = 0;
  for (const char of text) {
    const next = columnsOf(char);
    if (used + next > width - 1) break;
    out += char;
    used += next;
  }
  return width < 1 ? '' : `${out}…`;
}

/** A text filled up to so many columns. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columns(text)));
}

const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]$/u;

function columnsOf(char: string): number {
  if (char < '\u0300') return 1;
  return NO_WIDTH.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
}
