import { CommanderError } from 'commander';
import type { ExitCode } from '../index.ts';
import type { CommandSpec } from './command-spec.ts';
import { commands } from './commands/index.ts';
import { helpText } from './help.ts';
import { earlyFlags, makeIo, type Streams } from './io.ts';
import { buildProgram } from './program.ts';
import { reportError } from './report-error.ts';

/** What people type for the same: `kubexm --version`, `kubexm help get runs`. */
function asTyped(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  if (first === '--version' || first === '-V') return ['version', ...rest];
  return first === 'help' ? [...rest, '--help'] : words;
}

/** The command line from its words to its exit code. Does not throw and does not exit. */
export async function runCli(
  words: readonly string[],
  streams: Streams,
  specs: readonly CommandSpec[] = commands,
): Promise<ExitCode> {
  const argv = asTyped(words);
  const io = makeIo(streams, earlyFlags(argv, streams.env));
  if (argv.length === 0) {
    io.stdout.write(helpText('', specs, io));
    return 0;
  }
  let code: ExitCode = 0;
  try {
    const program = buildProgram(specs, io, argv, (given) => {
      code = given;
    });
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    // Help was shown: on request, or because a group of commands was called without one.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 64;
    return reportError(error, io);
  }
}
