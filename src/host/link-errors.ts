import { KubexmError, kubexmError } from '../model/errors/index.ts';
import { ShellSilent } from './shell.ts';

/** Whether the host took too long to answer, over a connection that is alive. */
export function isSilent(error: unknown): boolean {
  return error instanceof ShellSilent || (error instanceof KubexmError && error.code === 'KX3018');
}

/** Why there is no shell, as an error of the catalogue. */
export function noShell(host: string, error: unknown): unknown {
  if (error instanceof ShellSilent) {
    const { seconds, message } = error;
    return kubexmError('KX3018', { host, seconds, waiting: message }, { host, cause: error });
  }
  if (error instanceof KubexmError || !(error instanceof Error) || error.name === 'AbortError') return error;
  return kubexmError('KX3020', { host, reason: error.message }, { host, cause: error });
}
