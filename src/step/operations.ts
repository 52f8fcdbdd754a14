import { dedicated } from '../plan/step.ts';
import { command } from './generic/index.ts';

/** What `kubexm run command` was given. */
export interface AdHocCommand {
  readonly command: string;
  readonly timeoutSeconds: number;
}

/** The dedicated steps of day-to-day operations. */
export const adHocCommand = dedicated(
  'command',
  command,
  'Run a command that the user typed.',
  (params: AdHocCommand) => command({ run: params.command, timeoutSeconds: params.timeoutSeconds }),
);
