import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import type { ProgramName } from './programs-setup.ts';

/** Where a program is that tests start as a process of its own: bundled once for the whole run. */
export function program(name: ProgramName): string {
  return join(inject('programs'), `${name}.mjs`);
}

/** The same, loaded into this process: what it exports. */
export async function loaded<T>(name: ProgramName): Promise<T> {
  return (await import(/* @vite-ignore */ pathToFileURL(program(name)).href)) as T;
}

/** What a process compiles is kept for the next one, as long as the run lasts. */
export function compiled(): NodeJS.ProcessEnv {
  return { NODE_COMPILE_CACHE: join(inject('programs'), 'compiled') };
}
