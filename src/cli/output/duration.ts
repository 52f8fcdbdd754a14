import type { Say } from '../texts/index.ts';

/** A duration for people: `45 ms`, `3.2 s`, `4 min 5 s`, `2 h 3 min`. */
export function durationText(ms: number, say: Say): string {
  if (ms < 1000) return say('milliseconds', { n: Math.round(ms) });
  if (ms < 9_950) return say('seconds', { n: (ms / 1000).toFixed(1) });
  return wholeSeconds(ms, say);
}

/** A duration that is still growing: whole seconds, so that it does not flicker. */
export function elapsedText(ms: number, say: Say): string {
  return wholeSeconds(Math.floor(Math.max(0, ms) / 1000) * 1000, say);
}

/** An amount of bytes: `45 kB`, `1.2 GB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toPrecision(2)} ${units[unit]}`;
}

/** A moment in the reader's time zone: `2026-01-31 14:05:09`. */
export function timeText(at: number): string {
  const date = new Date(at);
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function wholeSeconds(ms: number, say: Say): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return say('seconds', { n: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return pair(say('minutes', { n: minutes }), seconds % 60, say('seconds', { n: seconds % 60 }));
  return pair(say('hours', { n: Math.floor(minutes / 60) }), minutes % 60, say('minutes', { n: minutes % 60 }));
}

function pair(first: string, rest: number, restText: string): string {
  return rest === 0 ? first : `${first} ${restText}`;
}
