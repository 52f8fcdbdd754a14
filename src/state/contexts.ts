import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { replaceFileSync } from '../local/files.ts';
import { withLock } from '../local/lock.ts';
import { kubexmError } from '../model/errors/index.ts';

/** So long another run may write the file. */
const LOCK_SECONDS = 10;

/** A cluster that kubexm knows on this machine. */
export interface Context {
  readonly name: string;
  readonly configFile: string;
  /** Where its `.kubexm` is. */
  readonly baseDir: string;
}

/** The clusters known here, and the one meant when none is named. */
export interface Contexts {
  readonly current: string | undefined;
  readonly contexts: readonly Context[];
}

/** kubexm's own configuration file: `$KUBEXM_HOME/config`, else `~/.kubexm/config`. */
export function contextsFile(env: NodeJS.ProcessEnv): string {
  return join(env['KUBEXM_HOME'] ?? join(env['HOME'] ?? homedir(), '.kubexm'), 'config');
}

/** Reads the known clusters; none when the file is not there. */
export function readContexts(env: NodeJS.ProcessEnv): Contexts {
  const file = contextsFile(env);
  if (!existsSync(file)) return { current: undefined, contexts: [] };
  try {
    const value = parse(readFileSync(file, 'utf8')) as { currentContext?: string; contexts?: Context[] } | null;
    const contexts = value?.contexts ?? [];
    if (!Array.isArray(contexts)) throw new TypeError('contexts is not a list');
    return { current: value?.currentContext, contexts };
  } catch (error) {
    throw kubexmError(
      'KX4021',
      { file, reason: error instanceof Error ? error.message : String(error) },
      { cause: error },
    );
  }
}

/** Makes a known cluster the one that is meant when none is named. */
export function useContext(env: NodeJS.ProcessEnv, name: string): Contexts {
  return change(env, (known) => {
    if (!known.contexts.some((context) => context.name === name)) {
      const names = known.contexts.map((context) => context.name).join(', ') || '–';
      throw kubexmError('KX4022', { name, names });
    }
    return { ...known, current: name };
  });
}

/** Remembers a cluster after a run; the first one becomes the current one. A cluster that is known like this is not written again. */
export function recordContext(env: NodeJS.ProcessEnv, context: Context): Contexts {
  const now = readContexts(env);
  const same = now.contexts.find(({ name }) => name === context.name);
  if (same?.configFile === context.configFile && same.baseDir === context.baseDir) return now;
  return change(env, (known) => {
    const others = known.contexts.filter((one) => one.name !== context.name);
    return { current: known.current ?? context.name, contexts: [...others, context].sort(byName) };
  });
}

/** Forgets a cluster that is gone. */
export function forgetContext(env: NodeJS.ProcessEnv, name: string): void {
  if (!readContexts(env).contexts.some((one) => one.name === name)) return;
  change(env, ({ current, contexts }) => ({
    current: current === name ? undefined : current,
    contexts: contexts.filter((one) => one.name !== name),
  }));
}

function byName(a: Context, b: Context): number {
  return a.name < b.name ? -1 : 1;
}

/** Reads, changes and writes the file, one process after the other: two runs that end together are both remembered. */
function change(env: NodeJS.ProcessEnv, make: (known: Contexts) => Contexts): Contexts {
  const file = contextsFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return withLock(`${file}.lock`, LOCK_SECONDS, () => {
    const contexts = make(readContexts(env));
    const text = stringify({ currentContext: contexts.current, contexts: contexts.contexts });
    replaceFileSync(file, text, { isNote: true });
    return contexts;
  });
}
