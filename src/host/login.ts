import { randomBytes } from 'node:crypto';
import type { Channel, Connection, Exit } from '../connector/connection.ts';
import { DEADLINES } from '../model/deadlines.ts';
import { type KubexmError, kubexmError } from '../model/errors/index.ts';

/** How one becomes root on a machine. */
export interface LoginOptions {
  /** What errors call the machine. */
  readonly host: string;
  readonly user: string;
  /** Become root when the user is not. */
  readonly sudo: boolean;
  readonly sudoPassword?: string;
  /** From the open session to the root shell. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Beside a shell that stays. */
  readonly beside?: boolean;
}

/** A channel on which a POSIX shell waits for one line to run, as root or as the user. */
export interface LoggedIn {
  readonly channel: Channel;
  /** It has a terminal, because sudo insisted. */
  readonly pty: boolean;
}

/**
 * Starts a shell, whatever the login shell is and prints, and becomes root.
 * The password is written only when sudo's own prompt, a nonce, was seen.
 */
export async function logIn(connection: Connection, options: LoginOptions, pty = false): Promise<LoggedIn> {
  const nonce = randomBytes(12).toString('hex');
  const channel = await connection.exec(bootCommand(nonce, options.sudo, pty), {
    pty,
    ...(options.signal && { signal: options.signal }),
    ...(options.beside && { beside: true }),
  });
  const outcome = await dialogue(channel, nonce, options);
  if (outcome === 'ready') return { channel, pty };
  channel.close();
  if (outcome === 'needs a terminal' && !pty) return logIn(connection, options, true);
  if (typeof outcome === 'string') throw sudoFailed(options, outcome);
  throw outcome;
}

/**
 * Finds the shell for our scripts, in `h`: /bin/sh, unless it is a busybox that runs its own applets instead of the programs in
 * PATH (FEATURE_SH_STANDALONE, as in Debian's busybox-static). Its `ip`, `mount` or `find` are not those of the machine.
 */
const FIND_SHELL = [
  'h=/bin/sh',
  'if PATH=/nowhere command -v mv >/dev/null 2>&1; then h=; if [ -x /bin/dash ]; then h=/bin/dash; elif [ -x /bin/bash ]; then h="/bin/bash --posix"; fi; fi',
  'if [ -z "$h" ]; then echo $a$b-applets; exit 1; fi',
];

/**
 * The command for the login shell, be it sh, csh or fish: one word in single quotes, without `!`, `'` or a line end. The
 * nonce is in two halves, so that a shell that echoes its commands does not look like an answer.
 */
function bootCommand(nonce: string, sudo: boolean, pty: boolean): string {
  const script = [
    ...(pty ? ['stty raw -echo'] : []),
    'PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C',
    'export PATH LC_ALL',
    `a=${nonce.slice(0, 12)} b=${nonce.slice(12)}`,
    ...FIND_SHELL,
    's="echo $a$b-ready; IFS= read -r kx_x; eval \\"\\$kx_x\\""',
    ...(sudo
      ? [
          'if [ "$(id -u)" = 0 ]; then exec env -i KX_UID=0 KX_SH="$h" $h -c "$s"; fi',
          'if command -v sudo >/dev/null; then exec sudo -S -p "$a$b-password" env -i KX_UID=0 KX_SH="$h" $h -c "$s"; fi',
          'echo $a$b-nosudo',
        ]
      : ['exec env -i HOME="$HOME" USER="$(id -un)" KX_SH="$h" $h -c "$s"']),
  ].join('; ');
  return `exec /bin/sh -c '${script}'`;
}

/** How much of what a login prints is kept, to explain a failure. */
const KEPT = 16 * 1024;
/** Longer than every mark with its line end. */
const OVERLAP = 64;
/** What a profile or a message of the day may print. */
const MOST_PRINTED = 1024 * 1024;

type Outcome = 'ready' | 'needs a terminal' | KubexmError;

function dialogue(channel: Channel, nonce: string, options: LoginOptions): Promise<Outcome> {
  const { host, user } = options;
  return new Promise((resolve) => {
    const [out, err] = [new Printed(nonce), new Printed(nonce)];
    let answered = 0;
    const settle = (outcome: Outcome): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', abort);
      channel.stdout.off('data', onOut);
      channel.stderr.off('data', onErr);
      resolve(outcome);
    };
    const abort = (): void => settle(kubexmError('KX3020', { host, reason: 'interrupted' }, { host }));
    options.signal?.addEventListener('abort', abort, { once: true });
    const timeoutMs = options.timeoutMs ?? DEADLINES.loginMs;
    const timer = setTimeout(() => {
      const reason = `no answer within ${Math.round(timeoutMs / 1000)} s; last words: ${lastLine(err.text) || lastLine(out.text) || '-'}`;
      settle(options.sudo ? sudoFailed(options, reason) : kubexmError('KX3020', { host, reason }, { host }));
    }, timeoutMs);
    const answerPrompts = (): void => {
      const asked = out.prompts + err.prompts;
      if (out.bytes + err.bytes > MOST_PRINTED) {
        settle(
          kubexmError('KX3020', { host, reason: `it printed ${MOST_PRINTED} bytes but started no shell` }, { host }),
        );
      } else if (asked === answered) return;
      else if (options.sudoPassword === undefined) settle(kubexmError('KX3021', { host, user }, { host }));
      else if (asked > 1) settle(kubexmError('KX3022', { host, user }, { host }));
      else channel.stdin.write(`${options.sudoPassword}\n`);
      answered = asked;
    };
    const onOut = (chunk: Buffer): void => {
      const fresh = out.add(chunk);
      const ready = fresh.indexOf(`${nonce}-ready`);
      const end = ready < 0 ? -1 : fresh.indexOf('\n', ready);
      if (end >= 0) {
        channel.stdout.pause();
        settle('ready');
        const rest = Buffer.from(fresh.slice(end + 1), 'latin1');
        if (rest.length > 0) channel.stdout.unshift(rest);
      } else if (fresh.includes(`${nonce}-nosudo`)) settle(kubexmError('KX3024', { host, user }, { host }));
      else if (fresh.includes(`${nonce}-applets`)) settle(kubexmError('KX3026', { host }, { host }));
      else answerPrompts();
    };
    const onErr = (chunk: Buffer): void => {
      err.add(chunk);
      answerPrompts();
    };
    channel.stdout.on('data', onOut);
    channel.stderr.on('data', onErr);
    void channel.exit.then(async (exit) => {
      // What was printed last may still be under way.
      await new Promise((later) => setImmediate(later));
      settle(explain(options, out.text, err.text, exit, answered > 0));
    });
  });
}

/** What a stream printed: its end, and how often sudo asked. A host may print without end, so the rest is only counted. */
class Printed {
  text = '';
  bytes = 0;
  prompts = 0;
  readonly #prompt: string;

  constructor(nonce: string) {
    this.#prompt = `${nonce}-password`;
  }

  /** Takes what was printed. Gives it back with a little of what came before: a mark may have arrived in two pieces. */
  add(chunk: Buffer): string {
    const before = this.text.slice(-OVERLAP);
    const printed = chunk.toString('latin1');
    const fresh = before + printed;
    this.bytes += chunk.length;
    this.prompts += fresh.split(this.#prompt).length - before.split(this.#prompt).length;
    this.text = (this.text + printed).slice(-KEPT);
    return fresh;
  }
}

/** Why no shell came: sudo says so in English, because LC_ALL is C. */
function explain(options: LoginOptions, out: string, err: string, exit: Exit, asked: boolean): Outcome {
  const { host, user } = options;
  const said = `${err}\n${out}`;
  if (/must have a tty|no tty present|a terminal is required/i.test(said)) return 'needs a terminal';
  if (/is not in the sudoers file|is not allowed to (run sudo|execute)|may not run sudo/i.test(said))
    return kubexmError('KX3023', { host, user }, { host });
  if (asked && /incorrect password|try again|authentication failure/i.test(said)) {
    return kubexmError('KX3022', { host, user }, { host });
  }
  const sudo = said.match(/^.*sudo: .*$/m)?.[0];
  if (sudo) return sudoFailed(options, sudo.trim());
  const how = exit.signal ?? (exit.code === undefined ? 'the connection broke' : `exit code ${exit.code}`);
  const reason = [lastLine(err) || lastLine(out), how].filter(Boolean).join('; ');
  return kubexmError('KX3020', { host, reason }, { host });
}

function sudoFailed({ host, user }: LoginOptions, reason: string): KubexmError {
  return kubexmError('KX3025', { host, user, reason }, { host });
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim().slice(0, 300) ?? '';
}
