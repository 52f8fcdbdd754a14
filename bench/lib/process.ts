import { spawn } from 'node:child_process';

/** How a process is run. */
export interface ProcessOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly timeoutSeconds?: number;
  /** Messages of a Node process with an IPC channel. */
  readonly onMessage?: (message: unknown) => void;
}

/** A process that ended well. */
export interface Ended {
  /** From before it was started until after it was gone. */
  readonly seconds: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a process to its end and times it. Anything but exit code 0 is an error. */
export function runProcess(command: string, args: readonly string[], options: ProcessOptions = {}): Promise<Ended> {
  const { env = process.env, cwd, timeoutSeconds = 600, onMessage } = options;
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(command, args, {
      env,
      ...(cwd === undefined ? {} : { cwd }),
      stdio: ['ignore', 'pipe', 'pipe', ...(onMessage ? (['ipc'] as const) : [])],
      timeout: timeoutSeconds * 1000,
      killSignal: 'SIGKILL',
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    if (onMessage) child.on('message', onMessage);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const seconds = (performance.now() - started) / 1000;
      const stdout = Buffer.concat(out).toString('utf8');
      const stderr = Buffer.concat(err).toString('utf8');
      if (code === 0) return resolve({ seconds, stdout, stderr });
      const words = `${stdout}\n${stderr}`.trim().split('\n').slice(-15).join('\n');
      return reject(new Error(`${command} ${args.join(' ')} ended with ${signal ?? code}:\n${words}`));
    });
  });
}

/** Runs a Node program of the benchmarks and reads what it answers. */
export async function runChild<T>(
  file: string,
  args: Readonly<Record<string, string | number>>,
  options: ProcessOptions & { readonly nodeOptions?: readonly string[] } = {},
): Promise<T & { readonly seconds: number }> {
  const { nodeOptions = [], ...rest } = options;
  const words = Object.entries(args).map(([name, value]) => `${name}=${value}`);
  const command = ['--disable-warning=ExperimentalWarning', ...nodeOptions, file, ...words];
  const { stdout, seconds } = await runProcess(process.execPath, command, rest);
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  return { ...(JSON.parse(last) as T), seconds };
}
