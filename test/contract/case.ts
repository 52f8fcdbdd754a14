import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import type { AnyStep } from '../../src/plan/step.ts';

/** One situation that a state step meets, and what it must make of it. */
export interface StateCase {
  readonly name: string;
  readonly step: AnyStep;
  /** Makes the situation. `tree` is what is compared; `work` is for sources. */
  readonly before?: (tree: string, work: string) => void;
  readonly want: (tree: string, work: string, url: string) => unknown;
  /** What the result must be, beyond what the probe says. */
  readonly after?: (tree: string) => void;
  readonly needsRoot?: boolean;
  /** Tools of this machine that make or unpack what is needed: without them the case is skipped. */
  readonly needs?: readonly string[];
  /** Tools that busybox does not have. */
  readonly notBusybox?: boolean;
}

/** A name with everything in it that a careless script trips over. */
export const ODD = '-o\'dd "na\\me" $HOME `id` * ü 世界\nsecond line ';

/** Bytes that are no text. */
export const BINARY = Buffer.from([0, 255, 10, 13, 0, 195, 40, 39, 34, 92, 10]);

/** Whether owners can be changed. */
export const root = process.getuid?.() === 0;

/** Fails unless a file holds this. */
export function expectFile(path: string, content: string | Uint8Array): void {
  const found = readFileSync(path);
  if (!found.equals(Buffer.from(content as string)))
    throw new Error(`${JSON.stringify(path)} holds ${JSON.stringify(found.toString())}`);
}

/** The sha256 of a file. */
export function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** Writes a file with a mode that no umask changes. */
export function put(path: string, content: string | Uint8Array, bits = 0o644): void {
  writeFileSync(path, content);
  chmodSync(path, bits);
}

/** Runs a tool of this machine. */
export function run(command: string, args: readonly string[], cwd: string): void {
  const done = spawnSync(command, args, { cwd });
  if (done.status !== 0) throw new Error(`${command}: ${done.stderr}`);
}
