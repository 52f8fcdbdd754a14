import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { compiled, loaded, program } from '../../rig/programs.ts';
import type * as InProcess from './in-process.ts';

/** The command line. */
export const MAIN = program('kubexm');
/** The same with one more command: see sample-main.ts. */
export const SAMPLE_MAIN = program('sample-kubexm');

/** What a process left behind. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How it is started. */
export interface CliOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly main?: string;
  /** Called with the process as soon as it runs. */
  readonly started?: (child: ChildProcess) => void;
}

/** An environment in which nothing of this machine shows: no home, no language, no colour. */
export function plainEnv(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = { HOME: '/nonexistent', TZ: 'UTC', LANG: 'C.UTF-8', ...compiled() };
  return { PATH: process.env['PATH'], ...own, ...more };
}

/** A real `kubexm` process, from its start to its end. */
export async function cli(args: readonly string[], options: CliOptions = {}): Promise<Ended> {
  const child = spawn(process.execPath, [options.main ?? MAIN, ...args], {
    cwd: options.cwd ?? tmpdir(),
    env: plainEnv(options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  options.started?.(child);
  const collect = (stream: NodeJS.ReadableStream) => {
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    return () => text;
  };
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout: stdout(), stderr: stderr() };
}

/**
 * The same from its words to its exit code, but in this process: starting one costs twenty times what most commands do. What
 * belongs to a process (signals, streams that close, a terminal, its environment as a whole) needs `cli`.
 */
export async function call(args: readonly string[], options: Omit<CliOptions, 'started'> = {}): Promise<Ended> {
  const { runCli, sampleCommands } = await loaded<typeof InProcess>('cli-in-process');
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const texts = Promise.all([text(stdout), text(stderr)]);
  const streams = {
    stdin: Readable.from([]),
    stdout,
    stderr,
    env: plainEnv(options.env),
    cwd: options.cwd ?? tmpdir(),
  };
  const code = await runCli(args, streams, options.main === SAMPLE_MAIN ? sampleCommands : undefined);
  for (const stream of [stdout, stderr]) stream.end();
  const [said, noted] = await texts;
  return { code, stdout: said, stderr: noted };
}

/** A directory that is gone after the test. */
export function tempDir(parent = tmpdir()): string {
  const dir = mkdtempSync(join(parent, 'kubexm-cli-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
