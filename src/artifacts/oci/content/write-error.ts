import { KubexmError, kubexmError } from '../../../model/errors/index.ts';

/** What is done to files, as the system names it. Reading is none of it, nor is anything of the network. */
const CALLS: ReadonlySet<string> = new Set([
  'chmod',
  'close',
  'copyfile',
  'fchmod',
  'fsync',
  'ftruncate',
  'link',
  'mkdir',
  'mkdtemp',
  'open',
  'rename',
  'rm',
  'unlink',
  'write',
]);

/** Turns what the file system refuses into an error that names the path; all others stay as they are. */
export function writeError(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof KubexmError || code === undefined || !CALLS.has(syscall ?? '')) return error;
  return kubexmError('KX7122', { path, reason: systemWords(error as Error) }, { cause: error });
}

/** The system's words without the path, which the message has already. */
export function systemWords(error: Error): string {
  return error.message.replace(/, \w+(?: '.*')?$/, '');
}
