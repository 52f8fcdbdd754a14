import { lines, type Script, sh } from '../../model/script.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { invalid } from './lib/path.ts';
import { lookOnce, pollScript, type Waiting, waitTraits } from './lib/poll.ts';
import { type CommandContext, type CommandText, commandLine, commandScript } from './lib/script-text.ts';

/** A command that has to succeed. It only looks; it may run any number of times. */
export interface WaitForCommand extends Waiting, CommandContext {
  /** A text may hand `$1` to a command that can wait by itself: the seconds for which it may. */
  readonly run: CommandText;
  /** What is waited for, for people. Default: the command itself. */
  readonly purpose?: string;
  /** Exit codes that mean success. Default: 0 only. */
  readonly successCodes?: readonly number[];
}

function attempt(want: WaitForCommand): Script {
  if (typeof want.run === 'string' && want.run.trim() === '') throw invalid('a command is empty');
  const codes: Script = { script: (want.successCodes ?? [0]).map((code) => String(Math.trunc(code))).join(' | ') };
  return lines(
    sh`kxg_look() {`,
    commandScript(want.run, want),
    sh`}
kxg_try() {
  kxg_out=$(kxg_look "$1" 2>&1 </dev/null); kxg_r=$?
  kxg_why="exit code $kxg_r: $(printf '%s\\n' "$kxg_out" | tail -n 3)"
  case "$kxg_r" in ${codes}) printf '%s\\n' "$kxg_out"; return 0 ;; *) return 1 ;; esac
}`,
  );
}

/** Waits for a command to succeed; gives what it printed then. */
export const waitForCommand = defineStep<WaitForCommand>()({
  ...waitTraits,
  kind: 'waitForCommand',
  description: 'Runs a command that only looks, on the host, until it succeeds.',
  title: (want) => `wait for ${want.purpose ?? commandLine(want.run)}`,
  probe: (want) => lookOnce(attempt(want)),
  judge: (output, want) =>
    output.code === 0
      ? satisfied({ stdout: output.stdout.replace(/\n$/, '') })
      : needed({ code: output.code }, [{ what: want.purpose ?? commandLine(want.run), from: 'not yet', to: 'yes' }]),
  apply: (_host, want) => pollScript(attempt(want), want.purpose ?? commandLine(want.run), want),
  example: { run: ['test', '-e', '/run/containerd/containerd.sock'], purpose: 'the socket of containerd' },
});
