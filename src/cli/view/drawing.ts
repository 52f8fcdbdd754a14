import type { Lang } from '../../index.ts';
import type { Line } from '../output/line.ts';
import type { Say } from '../texts/index.ts';
import type { Signs } from './signs.ts';

/** A line and what stands at its right edge. */
export interface Row {
  readonly left: Line;
  readonly right?: Line;
}

/** What drawing needs everywhere. */
export interface Drawing {
  readonly say: Say;
  readonly signs: Signs;
  readonly now: number;
  readonly lang: Lang;
  readonly width: number;
}
