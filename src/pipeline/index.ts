import { resetNodes } from './node/reset.ts';
import { runCommand } from './node/run-command.ts';

export { type ResetNodesParams, resetNodes, resetNodesWith } from './node/reset.ts';
export { type RunCommandParams, runCommand } from './node/run-command.ts';

/** Every pipeline, for the reference. */
export const pipelines = [runCommand, resetNodes] as const;
