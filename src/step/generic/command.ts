import type { Output } from '../../model/host.ts';
import { type Script, sh } from '../../model/script.ts';
import { MASK } from '../../model/text/mask.ts';
import { defineStep, needed, type Retry, satisfied } from '../../plan/step.ts';
import { absolute, invalid } from './lib/path.ts';
import { type CommandContext, type CommandText, commandLine, commandScript } from './lib/script-text.ts';

/** Which failures of a command are worth another try, and how often. */
export interface CommandRetry {
  /** How often at most, the first time included. */
  readonly attempts: number;
  readonly delaySeconds: number;
  /** Exit codes of a passing failure. */
  readonly onCodes?: readonly number[];
  /** A regular expression that a line of the output of a passing failure matches. */
  readonly onOutput?: string;
}

/** A command to run every time. */
export interface Command extends CommandContext {
  readonly run: CommandText;
  /** What it is for, for people. Default: the command itself. */
  readonly purpose?: string;
  /** Exit codes that mean success. Default: 0 only. */
  readonly successCodes?: readonly number[];
  readonly retry?: CommandRetry;
  /** Default 60, for a long one 1800. */
  readonly timeoutSeconds?: number;
  /** Runs as a job, which survives a lost connection. */
  readonly long?: boolean;
}

/** A command to run only when a check says so. */
export interface CheckedCommand extends Command {
  /** Ends with 0 when there is nothing to do. What it prints is the step's value. */
  readonly check?: CommandText;
  /** Instead of a check: there is nothing to do when this path exists. */
  readonly creates?: string;
  /** Undoes the command. */
  readonly rollback?: CommandText;
}

/** What a command printed, without the last line end, and how it ended. A type, so that it is Json too. */
export type CommandResult = {
  readonly code: number;
  readonly stdout: string;
};

const shared = {
  successCodes: (want: Command) => want.successCodes ?? [0],
  timeoutSeconds: (want: Command) => want.timeoutSeconds ?? (want.long === true ? 1800 : 60),
  job: (want: Command) => want.long === true,
  retry: (want: Command) => (want.retry === undefined ? undefined : retryOf(want.retry)),
};

/** Runs a command every time: for what leaves nothing behind, or only looks. */
export const command = defineStep<Command>()({
  ...shared,
  kind: 'command',
  description: 'Runs shell text, or the words of a command, every time; gives its exit code and output.',
  title: (want) => want.purpose ?? `run ${commandLine(want.run)}`,
  nature: 'action',
  apply: (_host, want) => commandScript(want.run, want),
  result: (output) => resultOf(output),
  example: { run: ['uname', '-r'] },
});

/** Runs a command when its check says that it is needed, and checks again afterwards. */
export const checkedCommand = defineStep<CheckedCommand>()({
  ...shared,
  kind: 'checkedCommand',
  description:
    'Runs a command unless its check succeeds or the path it creates exists; can be undone by a rollback command.',
  title: (want) => want.purpose ?? `run ${commandLine(want.run)}`,
  probe: (want) => checkScript(want),
  judge: (output, want) =>
    output.code === 0
      ? satisfied(resultOf(output))
      : needed({ code: output.code }, [{ what: 'run', to: commandLine(want.run) }]),
  apply: (_host, want) => commandScript(want.run, want),
  revert: (_host, want) =>
    want.rollback === undefined ? sh`:` : commandScript(want.rollback, withoutUnknown(want, want.rollback)),
  irreversible: (want) => (want.rollback === undefined ? 'no rollback command is given' : undefined),
  example: { run: 'touch /tmp/kubexm-example', creates: '/tmp/kubexm-example', rollback: 'rm -f /tmp/kubexm-example' },
});

function checkScript(want: CheckedCommand): Script {
  if ((want.check === undefined) === (want.creates === undefined)) {
    throw invalid(`the command ${JSON.stringify(commandLine(want.run))} needs either check or creates`);
  }
  if (want.check !== undefined) {
    const script = commandScript(want.check, withoutUnknown(want, want.check));
    if (script.script.includes(MASK))
      throw invalid(`the check of ${commandLine(want.run)} needs a secret, and checks see none`);
    return script;
  }
  const path = absolute(want.creates ?? '');
  return sh`[ -e ${path} ] || [ -L ${path} ]`;
}

/** A check sees no secrets, and an undoing after a crash may not: a variable that is only a mask is left out if it is not used. */
function withoutUnknown(want: Command, text: CommandText): CommandContext {
  const words = typeof text === 'string' ? text : text.join(' ');
  const known = Object.entries(want.env ?? {}).filter(([name, value]) => !value.includes(MASK) || words.includes(name));
  return { ...want, env: Object.fromEntries(known) };
}

/** What a command printed, as a value. */
export function resultOf(output: Output): CommandResult {
  return { code: output.code, stdout: output.stdout.replace(/\r?\n$/, '') };
}

function retryOf(retry: CommandRetry): Retry {
  const { attempts, delaySeconds, onCodes = [], onOutput } = retry;
  if (onCodes.length === 0 && onOutput === undefined)
    throw invalid('a retry must say which failures pass: onCodes or onOutput');
  const pattern = onOutput === undefined ? undefined : new RegExp(onOutput, 'm');
  return {
    attempts,
    delaySeconds,
    transient: (failure) => {
      if (failure instanceof Error) return false;
      return onCodes.includes(failure.code) || pattern?.test(`${failure.stdout}\n${failure.stderr}`) === true;
    },
  };
}
