import type { Say } from '../texts/index.ts';
import { elapsedText } from './duration.ts';

const DAY = 24 * 3600 * 1000;

/** How old something is: `45 s`, `3 h 2 min`, `32 d`. */
export function ageText(ms: number, say: Say): string {
  return ms < 2 * DAY ? elapsedText(ms, say) : say('days', { n: Math.floor(ms / DAY) });
}
