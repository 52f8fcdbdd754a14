import { runCommand } from './node/run-command.ts';

export { type RunCommandParams, runCommand } from './node/run-command.ts';

/** Every pipeline, for the reference. */
export const pipelines = [runCommand] as const;
