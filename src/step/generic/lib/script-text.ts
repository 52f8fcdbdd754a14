import { lines, quote, rawScript, type Script, sh } from '../../../model/script.ts';
import { absolute, invalid } from './path.ts';

/** A command: shell text, or the words of one command, which no shell interprets. */
export type CommandText = string | readonly string[];

/** Where and with what a command runs. */
export interface CommandContext {
  /** Exported inside the script, so that no value shows in a list of processes. */
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
}

/** A command as a script of its own. */
export function commandScript(text: CommandText, context: CommandContext): Script {
  const env = Object.entries(context.env ?? {}).map(([name, value]) => exportScript(name, value));
  const cwd = context.cwd === undefined ? [] : [sh`cd -- ${absolute(context.cwd)} || exit 1`];
  return lines(...cwd, ...env, wordsOrText(text));
}

/** A command in one line, for titles and differences. What is not known yet is left out. */
export function commandLine(text: CommandText | undefined): string {
  const words = typeof text === 'string' ? text : (text ?? []).map((word) => quote(word)).join(' ');
  const line = words.trim().replace(/\s*\n\s*/g, '; ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

function wordsOrText(text: CommandText): Script {
  if (typeof text === 'string') return rawScript(text);
  const [name = '', ...rest] = text;
  if (name === '') throw invalid('a command has no name');
  // Always in quotes: neither `if` nor `a=b` is then anything but a name.
  return sh`${{ script: quote(name) === name ? `'${name}'` : quote(name) }} ${rest}`;
}

function exportScript(name: string, value: string): Script {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw invalid(`${JSON.stringify(name)} is no name for an environment variable`);
  return sh`export ${{ script: name }}=${value}`;
}
