import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { LockOwner, Output } from '../../../src/model/host.ts';
import { output } from '../../../src/model/host.ts';
import type { LeftReport } from '../../../src/model/report.ts';
import { type Command, type Group, parseScript, type Statement } from './shell.ts';

/** A job of a memory host: how far it is, and how it ended. */
export interface MemoryJob {
  readonly script: string;
  /** Statements done. */
  done: number;
  code: number | undefined;
  stdout: string;
  stderr: string;
  reports?: readonly LeftReport[];
  /** It was killed and left no result. */
  dead: boolean;
}

/** All that a memory host is: plain JSON. */
export interface MemoryState {
  values: Record<string, string>;
  /** Before-images by key; null where there was nothing. */
  saved: Record<string, Record<string, string | null>>;
  jobs: Record<string, MemoryJob>;
  lock: { readonly owner: LockOwner; silent: boolean } | undefined;
}

/** A command of one's own: gets its words and the host, and returns what it printed. */
export type MemoryCommand = (words: readonly string[], host: MemoryHost) => Output | Promise<Output>;

/** What a memory host may have from the beginning. */
export interface MemoryHostOptions {
  readonly values?: Readonly<Record<string, string>>;
  /** Keeps the state in this file, which another process may open when this one is dead. */
  readonly file?: string;
  readonly commands?: Readonly<Record<string, MemoryCommand>>;
}

/**
 * A tiny machine: keys with values, and a few commands to read and set them. It outlives the connections to it (see
 * MemoryMachine): jobs go on, before-images and the lock stay. `kv get|has K`, `kv set K V`, `kv add K N`, `kv del K`,
 * `fail CODE WORDS`, `exit CODE`, `echo`, `printf %s`, `hold NAME` (until `release(NAME)`), `sleep SECONDS`, `kx_…`.
 */
export class MemoryHost {
  readonly name: string;
  readonly state: MemoryState;
  private readonly file: string | undefined;
  private readonly commands: Readonly<Record<string, MemoryCommand>>;
  private readonly held = new Map<string, (() => void)[]>();
  private readonly released = new Set<string>();
  private readonly watchers = new Set<() => void>();

  constructor(name: string, options: MemoryHostOptions = {}) {
    this.name = name;
    this.file = options.file;
    this.commands = options.commands ?? {};
    const fresh: MemoryState = { values: { ...options.values }, saved: {}, jobs: {}, lock: undefined };
    const kept = options.file !== undefined && existsSync(options.file);
    this.state = kept ? (JSON.parse(readFileSync(options.file, 'utf8')) as MemoryState) : fresh;
    for (const key of Object.keys(this.state.jobs)) if (this.isRunning(key)) void this.goOn(key, true);
  }

  get(key: string): string | undefined {
    return this.state.values[key];
  }

  /** Sets a value, or removes it. */
  set(key: string, value: string | undefined): void {
    if (value === undefined) delete this.state.values[key];
    else this.state.values[key] = value;
    this.changed();
  }

  /** Runs a script; `upTo` stops after so many statements, `stopped` before the next one. */
  async execute(
    script: string,
    options: { readonly upTo?: number; readonly stopped?: () => boolean } = {},
  ): Promise<Output> {
    const run = new ScriptRun(this, this.commands);
    const statements = parseScript(script).slice(0, options.upTo);
    for (const statement of statements) {
      if (run.exited || options.stopped?.()) break;
      await run.statement(statement);
    }
    return run.output();
  }

  /** Starts a job unless one with that key exists. It goes on without its watchers. */
  startJob(key: string, script: string): void {
    if (this.state.jobs[key]) return;
    this.state.jobs[key] = { script, done: 0, code: undefined, stdout: '', stderr: '', dead: false };
    this.changed();
    void this.goOn(key, false);
  }

  /** Kills a job as a reboot does: no result is left. */
  killJob(key: string): void {
    const job = this.state.jobs[key];
    if (job && job.code === undefined) job.dead = true;
    this.changed();
  }

  isRunning(key: string): boolean {
    const job = this.state.jobs[key];
    return job !== undefined && job.code === undefined && !job.dead;
  }

  forgetJob(key: string): void {
    if (!this.isRunning(key)) delete this.state.jobs[key];
    this.changed();
  }

  /** Lets commands and jobs go on that `hold NAME`, now and later. */
  release(name: string): void {
    this.released.add(name);
    for (const go of this.held.get(name) ?? []) go();
    this.held.delete(name);
  }

  /** Whether something holds under this name. */
  isHeld(name: string): boolean {
    return this.held.has(name);
  }

  async hold(name: string): Promise<void> {
    if (this.released.has(name)) return;
    await new Promise<void>((resolve) => this.held.set(name, [...(this.held.get(name) ?? []), resolve]));
  }

  /** Resolves when the host has changed. */
  async nextChange(): Promise<void> {
    await new Promise<void>((resolve) => this.watchers.add(resolve));
  }

  /** Something was changed: saves it to the file and wakes those who wait for it. */
  changed(): void {
    if (this.file !== undefined) {
      writeFileSync(`${this.file}.new`, JSON.stringify(this.state));
      renameSync(`${this.file}.new`, this.file);
    }
    const waiting = [...this.watchers];
    this.watchers.clear();
    for (const tell of waiting) tell();
  }

  /** Runs what is left of a job. `late`: time has passed unseen, so nothing is waited for any more. */
  private async goOn(key: string, late: boolean): Promise<void> {
    const job = this.state.jobs[key];
    if (!job) return;
    const run = new ScriptRun(this, this.commands, late, job);
    for (const statement of parseScript(job.script).slice(job.done)) {
      if (job.dead || run.exited) break;
      // Within the statement, so that it and its effect are kept together.
      job.done += 1;
      await run.statement(statement);
    }
    if (job.dead) return;
    job.code = run.code;
    this.changed();
  }
}

/** What a script prints and reports. */
interface Streams {
  stdout: string;
  stderr: string;
  reports?: readonly LeftReport[];
}

/** One script being run: where its output goes and whether it has exited. */
class ScriptRun {
  code = 0;
  exited = false;
  private readonly host: MemoryHost;
  private readonly commands: Readonly<Record<string, MemoryCommand>>;
  private readonly late: boolean;
  private readonly streams: Streams;
  private readonly variables = new Map<string, string>();

  constructor(
    host: MemoryHost,
    commands: Readonly<Record<string, MemoryCommand>>,
    late = false,
    streams: Streams = { stdout: '', stderr: '' },
  ) {
    this.host = host;
    this.commands = commands;
    this.late = late;
    this.streams = streams;
  }

  output(): Output {
    const { stdout, stderr, reports } = this.streams;
    return { ...output(this.code, stdout, stderr), ...(reports && { reports }) };
  }

  async statement({ first, rest }: Statement): Promise<void> {
    await this.one(first);
    for (const { on, what } of rest) {
      if (!this.exited && (on === '||') === (this.code !== 0)) await this.one(what);
    }
  }

  private async one(what: Command | Group): Promise<void> {
    if (what.type === 'group') {
      for (const statement of what.statements) if (!this.exited) await this.statement(statement);
      return;
    }
    const words = what.words.map((word) =>
      word.replaceAll(/\0(\w+)\0/g, (_, name: string) => this.variables.get(name) ?? ''),
    );
    const { code, stdout, stderr } = await this.command(words);
    this.code = code;
    this.streams[what.toStderr ? 'stderr' : 'stdout'] += stdout;
    this.streams.stderr += stderr;
  }

  private async command(words: readonly string[]): Promise<Output> {
    const [name = '', ...rest] = words;
    const own = this.commands[name];
    if (own) return await own(rest, this.host);
    const [first = ''] = rest;
    switch (name) {
      case ':':
      case 'true':
      case 'set':
        return output(0);
      case 'false':
        return output(1);
      case 'echo':
        return output(0, `${rest.join(' ')}\n`);
      case 'printf':
        return output(0, rest.slice(1).join(''));
      case 'exit':
        this.exited = true;
        return output(Number(first));
      case 'fail':
        this.exited = true;
        return output(Number(first), '', `${rest.slice(1).join(' ')}\n`);
      case 'hold':
        if (!this.late) await this.host.hold(first);
        return output(0);
      case 'sleep':
        if (!this.late) await delay(Number(first) * 1000);
        return output(0);
      case 'kv':
        return this.kv(rest);
      case 'kx_report':
        this.streams.reports = [...(this.streams.reports ?? []), { type: 'left', text: rest[1] ?? '' }];
        return output(0);
      case 'kx_job_state':
        this.variables.set('kx_state', this.jobState(first));
        return output(0);
      default:
        return this.undo(name, rest);
    }
  }

  private kv([verb = '', key = '', value = '']: readonly string[]): Output {
    const { host } = this;
    const now = host.get(key);
    if (verb === 'get') return now === undefined ? output(1, '', `no ${key}\n`) : output(0, `${now}\n`);
    if (verb === 'has') return output(now === undefined ? 1 : 0);
    if (verb === 'set') host.set(key, value);
    else if (verb === 'add') host.set(key, String(Number(now ?? 0) + Number(value)));
    else if (verb === 'del') host.set(key, undefined);
    else return output(127, '', `kv: ${verb}: not found\n`);
    return output(0);
  }

  private jobState(key: string): string {
    const job = this.host.state.jobs[key];
    if (!job) return 'absent';
    return job.dead ? 'dead' : job.code === undefined ? 'running' : 'ended';
  }

  private undo(name: string, [key = '', ...paths]: readonly string[]): Output {
    const { state } = this.host;
    switch (name) {
      case 'kx_save':
        state.saved[key] ??= Object.fromEntries(paths.map((path) => [path, state.values[path] ?? null]));
        break;
      case 'kx_restore': {
        const saved = state.saved[key];
        if (!saved) return output(96, '', `no before-image ${key}\n`);
        for (const [path, value] of Object.entries(saved)) this.host.set(path, value ?? undefined);
        break;
      }
      case 'kx_undo_drop':
        for (const one of Object.keys(state.saved))
          if (one === key || one.startsWith(`${key}/`)) delete state.saved[one];
        break;
      default:
        return output(127, '', `${name}: not found\n`);
    }
    this.host.changed();
    return output(0);
  }
}
