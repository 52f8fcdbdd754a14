import { shellSource } from '../../../host/shell-source.ts';
import { lines, rawScript, type Script, sh } from '../../../model/script.ts';
import { protectedPaths } from './path.ts';

const FAIL = rawScript(shellSource(new URL('./fail.sh', import.meta.url)));
const GUARD = lines(
  sh`kxg_protected() { stat -L -c %d:%i -- ${protectedPaths()} 2>/dev/null; }`,
  rawScript(shellSource(new URL('./guard.sh', import.meta.url))),
);
const WRITE = rawScript(shellSource(new URL('./write.sh', import.meta.url)));

const FUNCTIONS = {
  fail: [FAIL],
  guard: [FAIL, GUARD],
  write: [FAIL, GUARD, WRITE],
} as const;

/** A group of shell functions that scripts of generic steps may start with. */
export type ShellFunctions = keyof typeof FUNCTIONS;

/** A script that starts with the functions it needs. */
export function withFunctions(group: ShellFunctions, ...scripts: readonly Script[]): Script {
  return lines(...FUNCTIONS[group], ...scripts);
}
