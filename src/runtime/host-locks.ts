import type { LinkedMachine, LockState } from '../host/index.ts';
import { kubexmError } from '../model/errors/index.ts';
import { LOCAL } from '../model/host.ts';
import { sh } from '../model/script.ts';
import type { Connected } from './connect.ts';
import { type WithHostsOptions, withHosts } from './with-hosts.ts';

/** A host and what stands in the way of a run on it; nothing when `state` is undefined. */
export interface HostLock {
  readonly host: string;
  /** Without an owner: jobs of a run that gave its lock back, or of which only they are left. */
  readonly state: LockState | undefined;
  /** Jobs that died or never began: of them only records are left. */
  readonly deadJobs: readonly string[];
  /** Why the host could not be asked. */
  readonly error?: Error;
}

/** What came of unlocking a host: `left` if it is free or another run's by now. */
export type UnlockResult =
  | { readonly host: string; readonly outcome: 'unlocked' | 'left' }
  | { readonly host: string; readonly outcome: 'failed'; readonly error: Error };

/** Who holds the hosts. Only looks. */
export async function lockOwners(options: WithHostsOptions): Promise<readonly HostLock[]> {
  return withHosts('unlock', options, (connected) => readAll(connected));
}

/**
 * Takes the locks that `lockOwners` has shown away from their owners, and records of dead jobs with them; somebody who came
 * meanwhile keeps theirs, and a living job is never touched. Each host is reported, whatever happens on another one.
 */
export async function breakLocks(
  options: WithHostsOptions,
  shown: readonly HostLock[],
): Promise<readonly UnlockResult[]> {
  const owners = new Map(shown.flatMap(({ host, state }) => (state ? [[host, state.owner?.run]] : [])));
  return withHosts('unlock', { ...options, nodes: [...owners.keys()] }, async (connected) => {
    const locks = await readAll(connected);
    return Promise.all(locks.map((lock) => unlock(lock, owners.get(lock.host), connected)));
  });
}

async function unlock(lock: HostLock, run: string | undefined, connected: Connected): Promise<UnlockResult> {
  const { host, state, deadJobs } = lock;
  const machine = connected.machines.get(host);
  try {
    if (lock.error) throw lock.error;
    if (!machine || !state || state.owner?.run !== run) return { host, outcome: 'left' };
    if (!(await machine.breakLock())) refuseLiving(lock);
    for (const key of deadJobs) await machine.forgetJob(key);
    return { host, outcome: 'unlocked' };
  } catch (error) {
    return { host, outcome: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** A job whose run holds no lock any more; where one does, breaking its lock has looked already. */
function refuseLiving({ host, state }: HostLock): void {
  const [job] = state?.jobs ?? [];
  if (!job) return;
  const params = { host, job: job.key, age: job.ageSeconds, run: runOfJob(job.key) };
  throw kubexmError('KX4029', params, { host });
}

/** The run that began a job: its key starts with it. */
function runOfJob(key: string): string {
  return key.split('.')[0] ?? key;
}

async function readAll(connected: Connected): Promise<readonly HostLock[]> {
  const machines = [...connected.machines].filter(([name]) => name !== LOCAL);
  const asked = machines.map(([host, machine]) => readOne(host, machine));
  const failed = [...connected.unreachable].map(([host, error]) => notAsked(host, error));
  return [...(await Promise.all(asked)), ...failed];
}

async function readOne(host: string, machine: LinkedMachine): Promise<HostLock> {
  try {
    const [held, jobs] = await Promise.all([machine.readLockOwner(), readJobs(machine)]);
    const deadJobs = jobs.filter((job) => job.state === 'dead').map((job) => job.key);
    const living = jobs.filter((job) => job.state === 'living');
    const left = jobs.some((job) => job.state !== 'ended');
    return { host, state: held ?? (left ? { owner: undefined, silentSeconds: 0, jobs: living } : undefined), deadJobs };
  } catch (error) {
    return notAsked(host, error);
  }
}

function notAsked(host: string, error: unknown): HostLock {
  return { host, state: undefined, deadJobs: [], error: error instanceof Error ? error : new Error(String(error)) };
}

interface JobRecord {
  readonly key: string;
  readonly ageSeconds: number;
  /** `ended` ones wait for their run, which takes their result when it is resumed. */
  readonly state: 'living' | 'dead' | 'ended';
}

/** A job that was asked for so long ago and has not begun never will. */
const BEGIN_SECONDS = 30;

const LIST_JOBS = sh`for kx_dir in "$KX_RUN"/jobs/*; do
  [ -d "$kx_dir" ] || continue
  kx_job_state "\${kx_dir##*/}"
  printf '%s %s %s\n' "\${kx_dir##*/}" "$kx_age" "$kx_state"
done`;

async function readJobs(machine: LinkedMachine): Promise<readonly JobRecord[]> {
  const [output] = await machine.batch([LIST_JOBS]);
  const lines = (output?.stdout ?? '').split('\n').filter(Boolean);
  return lines.map((line): JobRecord => {
    const [key = '', age, said] = line.split(' ');
    const ageSeconds = Number(age);
    const begins = said === 'new' && ageSeconds < BEGIN_SECONDS;
    return {
      key,
      ageSeconds,
      state: said === 'ended' ? 'ended' : said === 'running' || begins ? 'living' : 'dead',
    };
  });
}
