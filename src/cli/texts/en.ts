import { enRun } from './en-run.ts';

/** Everything the command line says, in English. */
export const en = { ...enRun } as const;
