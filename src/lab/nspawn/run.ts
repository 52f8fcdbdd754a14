import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { kubexmError } from '../../model/errors/index.ts';
import type { ExecResult } from '../types.ts';

/** How a program of the box is run. */
export interface RunOptions {
  readonly input?: string | Uint8Array;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /**
   * A lock's file: the program holds the lock too. If kubexm is killed meanwhile, the next holder waits until
   * this program has ended.
   */
  readonly lock?: number;
  /** Told of each line as it comes, from both streams. */
  readonly onLine?: (line: string) => void;
}

const SYSTEM_PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** The environment of every program: messages in one language, and administrators' programs are found. */
export function programEnv(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const path = [...new Set([...SYSTEM_PATH, ...(process.env['PATH'] ?? '').split(':')])].filter(Boolean);
  return { HOME: process.env['HOME'] ?? '/root', ...env, PATH: path.join(':'), LC_ALL: 'C' };
}

/** Runs a program; how it ends is a result. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<ExecResult> {
  options.signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: programEnv(options.env),
      stdio: ['pipe', 'pipe', 'pipe', ...(options.lock === undefined ? [] : [options.lock])],
      ...(options.cwd !== undefined && { cwd: options.cwd }),
      ...(options.signal && { signal: options.signal, killSignal: 'SIGKILL' as const }),
      ...(options.timeoutMs !== undefined && { timeout: options.timeoutMs, killSignal: 'SIGKILL' as const }),
    });
    const stdout = collect(child.stdout, options.onLine);
    const stderr = collect(child.stderr, options.onLine);
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
    child.once('error', (error) => reject(options.signal?.aborted ? options.signal.reason : error));
    child.once('close', (code, signal) => {
      resolve({
        code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
        stdout: stdout(),
        stderr: stderr(),
      });
    });
  });
}

/** Runs a program that has to work, and returns what it printed. */
export async function must(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, options).catch((error: unknown) => {
    if (options.signal?.aborted || !(error instanceof Error)) throw error;
    throw kubexmError('KX6020', { command, reason: error.message }, { cause: error });
  });
  if (code === 0) return stdout;
  const lines = (stderr.trim() || stdout.trim()).split('\n');
  const reason = lines.at(-1) || `exit code ${code}`;
  throw kubexmError('KX6020', { command, reason }, { detail: lines.slice(-20).join('\n') });
}

function collect(stream: NodeJS.ReadableStream | null, onLine?: (line: string) => void): () => string {
  const chunks: Buffer[] = [];
  let rest = '';
  stream?.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    if (!onLine) return;
    const lines = (rest + chunk.toString()).split(/[\r\n]+/);
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') onLine(line);
  });
  return () => Buffer.concat(chunks).toString();
}
