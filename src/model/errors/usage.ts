import type { ErrorEntry } from './entry.ts';

/** KX1xxx: the command line and files of kubexm itself. */
export const usageErrors = {} as const satisfies Record<string, ErrorEntry>;
