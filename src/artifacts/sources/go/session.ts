import type { Arch } from '../../../model/catalog/schema.ts';
import type { SupplyIo } from '../../cache/types.ts';
import { compilerEnv } from './cgo.ts';
import { buildEnv } from './environment.ts';
import { goFailure, newerGo } from './failure.ts';
import type { Go } from './installed.ts';
import { Progress } from './progress.ts';
import { type Ended, run } from './run.ts';

/** After so long in which nothing comes from the network it is given up. */
const STALL_SECONDS = 60;

/** What one build is about. */
export interface SessionOptions {
  readonly what: string;
  readonly arch: Arch;
  readonly cgo: boolean;
  /** Below the cache; gone after the build. */
  readonly directory: string;
  readonly stallSeconds?: number;
}

/** One build: go with its environment, its progress, and its failures. */
export class Session {
  readonly directory: string;
  readonly progress: Progress;
  /** The toolchain that go uses. */
  toolchain = 'local';
  private readonly installed: Go;
  private readonly options: SessionOptions;
  private readonly io: SupplyIo;

  constructor(installed: Go, options: SessionOptions, io: SupplyIo) {
    this.directory = options.directory;
    this.installed = installed;
    this.options = options;
    this.io = io;
    this.progress = new Progress(io);
  }

  /** The environment that go and a C compiler run in. */
  get env(): Record<string, string> {
    const { arch, cgo, directory } = this.options;
    const compiler = compilerEnv(arch, this.io.env);
    const unverified = this.io.unverified === true;
    const target = { arch, cgo, toolchain: this.toolchain, temporary: directory, compiler, unverified };
    return buildEnv(this.io.env, this.installed.settings, target);
  }

  /** Runs go, which has to work, and returns what it printed. A requirement that needs a newer Go gets one, once. */
  async go(args: readonly string[], how: { readonly directory: string; readonly network?: boolean }): Promise<string> {
    let ended = await this.start(args, how);
    const newer = ended.code === 0 ? undefined : newerGo(ended);
    if (newer !== undefined && this.toolchain !== `go${newer}`) {
      this.toolchain = `go${newer}`;
      this.io.say(`taking go ${newer}`);
      ended = await this.start(args, how);
    }
    if (ended.code !== 0 || ended.failure !== undefined) throw this.failure(ended);
    return ended.stdout;
  }

  /** The error for something that went wrong without go ending badly. */
  failed(reason: string): Error {
    return this.failure({ code: 1, stdout: '', tail: [reason] });
  }

  private async start(
    args: readonly string[],
    how: { readonly directory: string; readonly network?: boolean },
  ): Promise<Ended> {
    const stallSeconds = how.network === true ? (this.options.stallSeconds ?? STALL_SECONDS) : undefined;
    const ended = await run(this.installed.command, args, {
      cwd: how.directory,
      env: this.env,
      signal: this.io.signal,
      onLine: (line) => this.progress.line(line),
      ...(stallSeconds === undefined ? {} : { stallSeconds }),
    });
    return ended.code === 0 ? ended : withErrors(ended);
  }

  private failure(ended: Ended): Error {
    const settings = { ...this.installed.settings, GOTMPDIR: this.options.directory };
    return goFailure(ended, { what: this.options.what, settings, toolchain: this.toolchain });
  }
}

/** With -json go says on stdout what went wrong. */
function withErrors(ended: Ended): Ended {
  const errors = [...ended.stdout.matchAll(/^\t"Error": (".*"),?$/gm)].flatMap((match) =>
    (JSON.parse(match[1] ?? '""') as string).split('\n'),
  );
  return { ...ended, tail: [...ended.tail, ...errors] };
}
