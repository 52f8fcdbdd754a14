import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { shellSource } from '../shell-source.ts';

/**
 * Where a module stands. `built-in`: a part of the kernel. `loadable`: there, not loaded. `disabled`: an install line of
 * modprobe.d keeps it from being loaded. `missing`: this kernel has no such module.
 */
export type ModuleState = 'loaded' | 'built-in' | 'loadable' | 'disabled' | 'missing';

/** A module, and what would have to be loaded for it: what it needs first, itself last. */
export interface SeenModule {
  readonly name: string;
  readonly state: ModuleState;
  readonly fresh: readonly string[];
}

const FUNCTIONS = rawScript(shellSource(new URL('./module.sh', import.meta.url)));

/** A read-only script that tells about modules. */
export function lookAtModules(names: readonly string[]): Script {
  return lines(FUNCTIONS, sh`kxo_modules ${names}`);
}

/** What a probe said about modules, in its order. */
export function seenModules(answer: string): readonly SeenModule[] {
  return answer.split('\n').flatMap((line) => {
    const [word, name, state, ...fresh] = line.split(' ');
    return word === 'module' && name !== undefined && isState(state) ? [{ name, state, fresh }] : [];
  });
}

/**
 * Loads what is not loaded. Of the optional ones those that this kernel does not have are left out. Afterwards `$kxo_present`
 * has the names of all that are there.
 */
export function loadModules(required: readonly string[], optional: readonly string[]): Script {
  return lines(
    FUNCTIONS,
    sh`kxo_present=
kxo_load_all required ${required}
kxo_load_all optional ${optional}`,
  );
}

/** Unloads modules, the last one first. One that is in use by now is left, and that is reported. */
export function unloadModules(fresh: readonly string[]): Script {
  return lines(FUNCTIONS, ...fresh.toReversed().map((name) => sh`kxo_unload ${name}`));
}

function isState(state: string | undefined): state is ModuleState {
  return state !== undefined && ['loaded', 'built-in', 'loadable', 'disabled', 'missing'].includes(state);
}
