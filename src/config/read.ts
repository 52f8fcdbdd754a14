import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ErrorCode } from '../model/errors/index.ts';
import { type Problem, problem } from './problem.ts';

/** The largest file that is read. */
export const MAX_BYTES = 1024 * 1024;

/** The bytes of a file, or why there are none. */
export async function readBytes(file: string): Promise<Uint8Array | Problem> {
  const nowhere = nowhereIn(file);
  try {
    // Opening a pipe would wait for a writer: O_NONBLOCK makes it return at once.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (stat.isDirectory()) return problem('KX2002', { file }, nowhere);
      if (!stat.isFile()) return problem('KX2004', { file }, nowhere);
      if (stat.size > MAX_BYTES) return tooLarge(file, stat.size);
      const bytes = await handle.readFile();
      return bytes.length > MAX_BYTES ? tooLarge(file, bytes.length) : bytes;
    } finally {
      await handle.close();
    }
  } catch (error) {
    return ioProblem(file, error);
  }
}

/** The problem of too much text. */
export function tooLarge(file: string, size: number): Problem {
  return problem('KX2006', { size, limit: MAX_BYTES }, nowhereIn(file));
}

function ioProblem(file: string, error: unknown): Problem {
  const reason = (error as NodeJS.ErrnoException).code ?? String((error as Error).message ?? error);
  const codes: Record<string, Extract<ErrorCode, 'KX2001' | 'KX2002' | 'KX2003' | 'KX2004' | 'KX2005'>> = {
    ENOENT: 'KX2001',
    ENOTDIR: 'KX2001',
    EISDIR: 'KX2002',
    EACCES: 'KX2003',
    EPERM: 'KX2003',
    ENXIO: 'KX2004',
    ELOOP: 'KX2005',
  };
  const code = codes[reason];
  if (code === undefined) return problem('KX2016', { file, reason }, nowhereIn(file));
  return problem(code, { file }, nowhereIn(file));
}

function nowhereIn(file: string): Problem['at'] {
  return { file, line: 1, column: 1, length: 0 };
}
