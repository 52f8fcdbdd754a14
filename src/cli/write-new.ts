import { writeFileSync } from 'node:fs';
import { cliError } from './cli-error.ts';

/** Writes a file that is not there yet, or replaces it where that is wanted. */
export function writeNew(path: string, shown: string, text: string, force: boolean, mode = 0o666): void {
  try {
    writeFileSync(path, text, { flag: force ? 'w' : 'wx', mode });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw cliError('KX1030', { file: shown }, { cause: error });
    throw cliError('KX1031', { file: shown, reason: message }, { cause: error });
  }
}
