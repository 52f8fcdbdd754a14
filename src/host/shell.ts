import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { DEADLINES, type Deadlines } from '../model/deadlines.ts';
import type { Output } from '../model/host.ts';
import { quote } from '../model/script.ts';
import { within } from '../model/within.ts';
import { type Answer, AnswerReader } from './answer.ts';
import { library, libraryId } from './lib/index.ts';
import type { LoggedIn } from './login.ts';

/** Where kubexm keeps its things on a machine; undefined for the usual places. */
export interface Places {
  readonly stateDir?: string;
  readonly runDir?: string;
}

/** How long a shell may take to answer at first, and to end. */
export type ShellDeadlines = Pick<Deadlines, 'helloMs' | 'shellCloseMs'>;

/** The shell ended while calls were waiting. */
export class ShellEnded extends Error {
  /** The call may have begun. */
  readonly begun: boolean;

  constructor(reason: string, begun: boolean) {
    super(reason);
    this.name = 'ShellEnded';
    this.begun = begun;
  }
}

/** The shell is there but did not answer in time. */
export class ShellSilent extends Error {
  readonly seconds: number;

  constructor(waiting: string, ms: number) {
    super(waiting);
    this.name = 'ShellSilent';
    this.seconds = ms / 1000;
  }
}

/** A call that was sent. */
export interface Call {
  readonly id: string;
  /** One output for each script; undefined for one that was stopped before it began. */
  readonly outputs: Promise<readonly (Output | undefined)[]>;
}

/** How a call is made. */
export interface CallOptions {
  readonly maxBytes: number;
  /** In the shell itself, not in a subshell: only for scripts of our own. */
  readonly here?: boolean;
  /** Called when all calls before it were answered, so that this one runs now. */
  readonly onTurn?: () => void;
}

interface Pending {
  readonly id: string;
  readonly scripts: number;
  readonly maxBytes: number;
  readonly onTurn: (() => void) | undefined;
  readonly resolve: (outputs: readonly (Output | undefined)[]) => void;
  readonly reject: (error: Error) => void;
}

/** What a shell says about itself. */
export interface ShellInfo {
  readonly pid: number;
  readonly root: boolean;
  readonly stateDir: string;
  readonly runDir: string;
  /** Its own directory there. */
  readonly dir: string;
}

/** A shell on a machine with our library loaded. Calls are written at once and answered in order. */
export class Shell {
  /** The first answer. Calls need not wait for it. */
  readonly info: Promise<ShellInfo>;
  /** Settles with the reason when it is gone. Never rejects. */
  readonly ended: Promise<string>;
  readonly #deadlines: ShellDeadlines;
  readonly #session: LoggedIn;
  readonly #reader: AnswerReader;
  readonly #pending: Pending[] = [];
  /** Whether the way to the machine itself is broken: then answers may be lost. */
  readonly #cut: () => boolean;
  #stderr = '';
  #next = 0;
  #gone: string | undefined;
  /** Why it is of no use any more. */
  #broken: string | undefined;

  constructor(session: LoggedIn, places: Places, cut: () => boolean, deadlines: ShellDeadlines = DEADLINES) {
    const nonce = randomBytes(12).toString('hex');
    this.#session = session;
    this.#deadlines = deadlines;
    this.#reader = new AnswerReader(nonce);
    this.#cut = cut;
    const { stdin, stdout, stderr } = session.channel;
    stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-2000);
    });
    stdout.resume();
    this.ended = this.#watch();
    // With a terminal as its input a bare `sh` would be interactive.
    stdin.write(session.pty ? 'exec $KX_SH /dev/stdin\n' : 'exec $KX_SH\n');
    stdin.write(`KX_LIB_ID=${libraryId} KX_LIB=${quote(library)}\neval "$KX_LIB"\n`);
    stdin.write(`kx_open ${nonce} ${quote(places.stateDir ?? '')} ${quote(places.runDir ?? '')}\n`);
    this.info = this.#hello();
    // Callers that need it await it; its failure is also that of every call.
    this.info.catch(() => undefined);
  }

  get alive(): boolean {
    return this.#gone === undefined;
  }

  /** Sends scripts, to be run one after the other, each on its own. */
  call(scripts: readonly string[], options: CallOptions): Call {
    const id = String(this.#next++);
    const outputs = new Promise<readonly (Output | undefined)[]>((resolve, reject) => {
      if (this.#gone !== undefined) {
        reject(new ShellEnded(this.#gone, false));
        return;
      }
      const { maxBytes, onTurn } = options;
      this.#pending.push({ id, scripts: scripts.length, maxBytes, onTurn, resolve, reject });
      const verb = options.here ? 'kx_here' : 'kx_call';
      this.#session.channel.stdin.write(`${verb} ${id} ${maxBytes + 1} ${scripts.map(word).join(' ')}\n`);
    });
    if (this.#pending.length === 1) options.onTurn?.();
    return { id, outputs };
  }

  /** Lets it end by itself, or drops it after a while. */
  async close(): Promise<void> {
    this.#session.channel.stdin.end('exit\n');
    const { shellCloseMs } = this.#deadlines;
    const late = (): Error => new Error('it does not end');
    try {
      await within(this.ended, shellCloseMs, late);
    } catch {
      this.abandon();
      // What it runs may hold its output open; nobody waits for that.
      await within(this.ended, shellCloseMs, late).catch(() => undefined);
    }
  }

  /** Drops the channel at once. What it runs goes on there. */
  abandon(): void {
    this.#session.channel.close();
  }

  async #hello(): Promise<ShellInfo> {
    const script = 'printf "%s\\n" "$KX_UID" "$$" "$KX_STATE" "$KX_RUN" "$KX_T"';
    const { helloMs } = this.#deadlines;
    const { outputs } = this.call([script], { maxBytes: 4096, here: true });
    const [hello] = await within(outputs, helloMs, () => new ShellSilent('its shell does not answer', helloMs));
    const [uid, pid, stateDir = '', runDir = '', dir = ''] = (hello?.stdout ?? '').split('\n');
    return { pid: Number(pid), root: uid === '0', stateDir, runDir, dir };
  }

  #receive(chunk: Buffer): void {
    if (this.#broken !== undefined) return;
    try {
      const asked = (id: string): Pending | undefined => this.#pending.find((one) => one.id === id);
      for (const answer of this.#reader.push(chunk, asked)) this.#settle(answer);
    } catch (error) {
      // What comes behind has no meaning any more.
      this.#broken = (error as Error).message;
      this.abandon();
    }
  }

  #settle(answer: Answer): void {
    const first = this.#pending[0];
    if (first?.id !== answer.id) return;
    this.#pending.shift();
    if (answer.parts.some((part) => part.kind === 'lost')) first.reject(new ShellEnded('its output was lost', true));
    else first.resolve(answer.parts.map((part) => (part.kind === 'output' ? part.output : undefined)));
    this.#pending[0]?.onTurn?.();
  }

  async #watch(): Promise<string> {
    const { channel } = this.#session;
    const exit = await channel.exit;
    await drained(channel.stdout);
    const how = exit.signal ?? (exit.code === undefined ? 'the connection broke' : `exit code ${exit.code}`);
    const reason = this.#broken ?? [this.#stderr.trim().split('\n').at(-1), how].filter(Boolean).join('; ');
    this.#gone = reason;
    const cut = exit.code === undefined && exit.signal === undefined ? true : this.#cut();
    // Answers come in order: without a cut only the first unanswered call can have begun.
    this.#pending.splice(0).forEach((one, i) => {
      one.reject(new ShellEnded(reason, cut || i === 0));
    });
    return reason;
  }
}

/** Always quoted: a bare word could be taken for a keyword's neighbour, and costs nothing to quote. */
function word(script: string): string {
  return quote(script).startsWith("'") ? quote(script) : `'${script}'`;
}

/** A process may be gone before everything it printed has been read. */
async function drained(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 500);
    stream.once('close', resolve).once('end', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
