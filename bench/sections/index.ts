import type { Section } from '../lib/report.ts';
import { noOpRun } from './no-op-run.ts';

/** All sections, in the order of the document. */
export const sections: readonly Section[] = [noOpRun];
