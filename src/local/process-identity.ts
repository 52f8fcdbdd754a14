import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Names a process for good: a process id alone is used again. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the kernel's own count. */
  readonly started: string;
  /** The machine and its boot. */
  readonly machine: string;
}

/** This process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, started: processStart(process.pid) ?? '', machine: machine() };
}

/** Whether a process still runs; undefined when it is one of another machine. */
export function isAlive(identity: ProcessIdentity): boolean | undefined {
  if (identity.machine !== machine()) return undefined;
  if (identity.started !== '') return processStart(identity.pid) === identity.started;
  try {
    process.kill(identity.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function machine(): string {
  return `${hostname()} ${read('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}`;
}

/** When a process of this machine started, in the kernel's own count; `ended` for a zombie. Undefined where it cannot be seen. */
export function processStart(pid: number): string | undefined {
  // The second field is the program's name in brackets and may hold anything; start time is the 22nd.
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended; only its parent has not noticed.
  return fields?.[0] === 'Z' ? 'ended' : fields?.[19];
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
