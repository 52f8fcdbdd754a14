import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { RunEvent, RunReport } from '../../src/index.ts';
import { compiled } from './programs.ts';

/** What a run in a process of its own printed, and how it ended. */
export interface Driven {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly events: readonly RunEvent[];
  readonly report: RunReport | undefined;
  readonly error:
    | { readonly code?: string; readonly message: string; readonly detail?: string; readonly stack: string }
    | undefined;
  readonly stderr: string;
}

/** How the process is started, and who gets its output. */
export interface DriveHooks {
  readonly crashAt?: string | undefined;
  /** More of the environment. */
  readonly with?: Readonly<Record<string, string>> | undefined;
  readonly onEvent?: ((event: RunEvent, child: ChildProcess) => void) | undefined;
  /** Called once it was started. */
  readonly started?: ((child: ChildProcess) => void) | undefined;
}

/** What was printed so far, and who gets it. */
class Printed {
  readonly events: RunEvent[] = [];
  report: RunReport | undefined;
  error: Driven['error'];

  take(line: string): RunEvent | undefined {
    const value = JSON.parse(line) as { type: string };
    if (value.type === 'report') this.report = value as unknown as RunReport;
    else if (value.type === 'error') this.error = value as unknown as Driven['error'];
    else {
      this.events.push(value as RunEvent);
      return value as RunEvent;
    }
    return undefined;
  }
}

/** A driver that is called rather than started, for runs that nobody kills: starting one costs more than most runs do. */
export async function called(
  drive: (words: readonly string[], print: (value: object) => void) => Promise<number>,
  words: readonly string[],
  heard: (event: RunEvent) => void = () => undefined,
): Promise<Driven> {
  const printed = new Printed();
  const code = await drive(words, (value) => {
    // As text, as from a process: what cannot be printed must not get through.
    const event = printed.take(JSON.stringify(value));
    if (event) heard(event);
  });
  const { events, report, error } = printed;
  return { code, signal: null, events, report, error, stderr: '' };
}

/** Runs a driver, which prints one JSON line a RunEvent and then its report or its error, to its end. */
export function driven(program: readonly string[], hooks: DriveHooks): Promise<Driven> {
  const { crashAt, with: more, onEvent, started } = hooks;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...program], {
    env: { ...process.env, ...compiled(), ...more, ...(crashAt === undefined ? {} : { KUBEXM_CRASH_AT: crashAt }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started?.(child);
  const printed = new Printed();
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = printed.take(line);
    if (event) onEvent?.(event, child);
  });
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      const { events, report, error } = printed;
      resolve({ code, signal, events, report, error, stderr });
    });
  });
}
