import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { type KubexmError, kubexmError } from '../../../src/model/errors/index.ts';
import type { Facts } from '../../../src/model/facts.ts';
import type { Job, JobResult, LockOwner, Machine, Output, PutOptions, RunOptions } from '../../../src/model/host.ts';
import { output } from '../../../src/model/host.ts';
import type { Script } from '../../../src/model/script.ts';
import type { MemoryHost } from './host.ts';

export {
  MemoryHost,
  type MemoryHostOptions,
  type MemoryState,
} from './host.ts';

/** When a fault strikes: before the command has begun, after its first statement, or after all of it. */
export type FaultTime = 'before' | 'during' | 'after';

/** A fault that waits for its command. */
interface Fault {
  readonly kind: 'cut' | 'lose';
  readonly match: string;
  readonly when: FaultTime;
}

/** How a memory machine is reached. */
export interface MemoryMachineOptions {
  /** Milliseconds of a round trip; a function is asked for each. Default 0. */
  readonly latencyMs?: number | (() => number);
  readonly facts?: Partial<Facts>;
}

const DEFAULT_TIMEOUT = 60;

/**
 * A connection to a memory host, for tests of plans, of the engine and of plugins: in order like the real one, with latency,
 * and with faults on demand. It counts what it costs.
 */
export class MemoryMachine implements Machine {
  readonly name: string;
  readonly facts: Facts;
  readonly host: MemoryHost;
  /** Round trips so far: calls made in one breath travel together. */
  trips = 0;
  /** Every script that was sent, batches and jobs among them, in order. */
  readonly sent: { readonly by: 'run' | 'batch' | 'job' | 'file'; readonly script: string }[] = [];
  private readonly latency: () => number;
  private readonly faults: Fault[] = [];
  private isGone = false;
  private readonly whenGone = new Set<() => void>();
  private breathing = false;
  private queue: Promise<unknown> = Promise.resolve();

  constructor(host: MemoryHost, options: MemoryMachineOptions = {}) {
    this.host = host;
    this.name = host.name;
    this.facts = { ...plainFacts, hostname: host.name, ...options.facts };
    const { latencyMs = 0 } = options;
    this.latency = typeof latencyMs === 'number' ? () => latencyMs : latencyMs;
  }

  /** Cuts the connection under the next command that contains the text; a new one is made at once. */
  cut(match: string, when: FaultTime = 'after'): void {
    this.faults.push({ kind: 'cut', match, when });
  }

  /** Loses the host for good: now, or under the next command that contains the text. */
  lose(match?: string, when: FaultTime = 'before'): void {
    if (match === undefined) this.vanish();
    else this.faults.push({ kind: 'lose', match, when });
  }

  async run(script: Script, options: RunOptions = {}): Promise<Output> {
    return await this.call('run', script.script, options, async (stopped) => {
      const fault = this.faultFor(script.script);
      const upTo = fault === undefined || fault.when === 'after' ? undefined : fault.when === 'before' ? 0 : 1;
      const result = await this.host.execute(script.script, { stopped, ...(upTo === undefined ? {} : { upTo }) });
      if (fault?.kind === 'lose') this.vanish();
      if (fault) throw fault.kind === 'lose' ? this.gone() : kubexmError('KX3011', { host: this.name });
      return result;
    });
  }

  async batch(probes: readonly Script[], options: RunOptions = {}): Promise<readonly Output[]> {
    const text = probes.map(({ script }) => script).join('\n');
    return await this.call('batch', text, options, async (stopped) => {
      const fault = this.faultFor(text);
      // A batch only reads: after a cut it is simply asked again.
      if (fault?.kind === 'cut') this.trips++;
      if (fault?.kind === 'lose') this.vanish();
      if (fault?.kind === 'lose') throw this.gone();
      const outputs: Output[] = [];
      for (const { script } of probes) outputs.push(await this.host.execute(script, { stopped }));
      return outputs;
    });
  }

  async job(job: Job): Promise<JobResult> {
    const { key, script } = job;
    const started = Date.now();
    const attached = await this.call('job', script.script, {}, async () => {
      const known = this.host.state.jobs[key] !== undefined;
      const fault = this.faultFor(script.script);
      if (fault?.when !== 'before' || fault.kind === 'cut') this.host.startJob(key, script.script);
      // The job does not notice a cut: it is found again.
      if (fault?.kind === 'cut') this.trips++;
      if (fault?.kind === 'lose') this.vanish();
      return known;
    });
    let line = '';
    while (this.host.isRunning(key)) {
      if (this.isGone) throw this.gone();
      job.signal?.throwIfAborted();
      const seconds = (Date.now() - started) / 1000;
      if (seconds >= job.timeoutSeconds) return this.stopJob(job);
      const latest = this.host.state.jobs[key]?.stdout.trimEnd().split('\n').at(-1) ?? '';
      if (latest !== line) job.onLine?.(latest);
      line = latest;
      await this.whatComesFirst(job.signal, (job.timeoutSeconds - seconds) * 1000, this.host.nextChange());
    }
    if (this.isGone) throw this.gone();
    const ended = this.host.state.jobs[key];
    if (ended?.code === undefined) throw kubexmError('KX3040', { host: this.name, key, reason: 'it was killed' });
    const { code, stdout, stderr, reports } = ended;
    return { ...output(code, stdout, stderr), ...(reports && { reports }), attached };
  }

  async forgetJob(key: string): Promise<void> {
    await this.call('job', `forget ${key}`, {}, async () => this.host.forgetJob(key));
  }

  async write(path: string, content: string | Uint8Array, options: PutOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    const text = typeof content === 'string' ? content : Buffer.from(content).toString('utf8');
    await this.call('file', `write ${path}`, {}, async () => this.host.set(path, text));
  }

  async put(localPath: string, path: string, options: PutOptions = {}): Promise<void> {
    await this.write(path, readFileSync(localPath), options);
  }

  async get(path: string, localPath: string, options: PutOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    await this.call('file', `get ${path}`, {}, async () => {
      const value = this.host.get(path);
      if (value === undefined) throw kubexmError('KX3035', { host: this.name, path, reason: 'it does not exist' });
      writeFileSync(localPath, value, { mode: 0o600 });
    });
  }

  async lock(owner: LockOwner): Promise<void> {
    await this.call('run', 'lock', {}, async () => {
      const { lock, jobs } = this.host.state;
      if (lock && lock.owner.run !== owner.run) {
        const { run, pipeline, user, machine, since } = lock.owner;
        if (!lock.silent) throw kubexmError('KX3101', { host: this.name, run, pipeline, user, machine, since });
        const job = Object.keys(jobs).find((key) => this.host.isRunning(key));
        if (job !== undefined) throw kubexmError('KX3102', { host: this.name, job, age: 0, run, user, machine });
      }
      this.host.state.lock = { owner, silent: false };
      this.host.changed();
    });
  }

  async unlock(): Promise<void> {
    await this.call('run', 'unlock', {}, async () => {
      this.host.state.lock = undefined;
      this.host.changed();
    });
  }

  async close(): Promise<void> {
    await this.queue.catch(() => undefined);
  }

  /** One call: there, its turn, back. In order, without waiting for each other's answers. */
  private async call<T>(
    by: 'run' | 'batch' | 'job' | 'file',
    script: string,
    options: RunOptions,
    work: (stopped: () => boolean) => Promise<T>,
  ): Promise<T> {
    if (this.isGone) throw this.gone();
    options.signal?.throwIfAborted();
    this.sent.push({ by, script });
    this.breathe();
    const half = this.latency() / 2;
    const seconds = options.timeoutSeconds ?? DEFAULT_TIMEOUT;
    let over = false;
    const before = this.queue;
    const there = half > 0 ? delay(half) : undefined;
    const turn = (async () => {
      await before.catch(() => undefined);
      await there;
      if (this.isGone) throw this.gone();
      const done = work(() => over);
      done.catch(() => undefined);
      const ended = await this.whatComesFirst(options.signal, seconds * 1000, done);
      over = true;
      if (this.isGone) throw this.gone();
      if (ended === 'late') throw kubexmError('KX3030', { host: this.name, seconds });
      options.signal?.throwIfAborted();
      return await done;
    })();
    this.queue = turn;
    try {
      return await turn;
    } finally {
      await (half > 0 ? delay(half) : nextTurn());
    }
  }

  private breathe(): void {
    if (this.breathing) return;
    this.breathing = true;
    this.trips++;
    setImmediate(() => {
      this.breathing = false;
    });
  }

  private async whatComesFirst(
    signal: AbortSignal | undefined,
    ms: number,
    work: Promise<unknown>,
  ): Promise<'ended' | 'late'> {
    const waiting = new AbortController();
    const lost = new Promise<'ended'>((resolve) => {
      const tell = () => resolve('ended');
      this.whenGone.add(tell);
      signal?.addEventListener('abort', tell, { signal: waiting.signal });
      waiting.signal.addEventListener('abort', () => this.whenGone.delete(tell));
    });
    const late = delay(Math.min(ms, 2 ** 31 - 1), 'late' as const, { signal: waiting.signal }).catch(
      () => 'late' as const,
    );
    try {
      return await Promise.race([
        work.then(
          () => 'ended' as const,
          () => 'ended' as const,
        ),
        late,
        lost,
      ]);
    } finally {
      waiting.abort();
    }
  }

  private stopJob(job: Job): never {
    this.host.killJob(job.key);
    throw kubexmError('KX3041', { host: this.name, key: job.key, seconds: job.timeoutSeconds });
  }

  private faultFor(script: string): Fault | undefined {
    const at = this.faults.findIndex(({ match }) => script.includes(match));
    return at < 0 ? undefined : this.faults.splice(at, 1)[0];
  }

  private vanish(): void {
    this.isGone = true;
    for (const tell of this.whenGone) tell();
  }

  private gone(): KubexmError {
    return kubexmError('KX3012', { host: this.name, seconds: 0, reason: 'it was made to vanish' });
  }
}

const plainFacts: Facts = {
  hostname: '',
  machineId: '0',
  os: { id: 'memory', version: '1', name: 'Memory', family: 'unknown' },
  arch: 'amd64',
  kernel: '6.0',
  cpus: 1,
  memoryBytes: 2 ** 30,
  swapBytes: 0,
  disks: [],
  mounts: [],
  addresses: [],
  routes: [],
  init: 'none',
  packageManager: 'none',
  cgroup: 0,
  capabilities: [],
  timeOffsetMs: 0,
  timezone: 'UTC',
  ntp: 'none',
  selinux: 'absent',
  firewall: [],
  virtualization: 'none',
  resolver: 'absent',
  user: 'root',
  root: true,
  commands: [],
};
