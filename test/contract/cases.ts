import type { StateCase } from './case.ts';
import { archiveCases } from './cases-archives.ts';
import { certificateCases } from './cases-certificates.ts';
import { commandCases, copyCases } from './cases-copies.ts';
import { placeCases } from './cases-places.ts';
import { textCases } from './cases-text.ts';

/** Every situation that the contract is tested in. */
export const stateCases: readonly StateCase[] = [
  ...textCases,
  ...placeCases,
  ...copyCases,
  ...archiveCases,
  ...certificateCases,
  ...commandCases,
];
