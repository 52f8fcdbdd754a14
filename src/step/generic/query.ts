import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { resultOf } from './command.ts';
import { type CommandContext, type CommandText, commandLine, commandScript } from './lib/script-text.ts';

/** A question that a command answers without changing anything. */
export interface Query extends CommandContext {
  readonly run: CommandText;
  /** What it asks, for people. Default: the command itself. */
  readonly purpose?: string;
}

/**
 * Reads a value from a machine: what a read-only command prints. It is part of the host's checks, so it costs no round trip of
 * its own and is known in a dry run too; a command that runs as an action is not.
 */
export const query = defineStep<Query>()({
  kind: 'query',
  description: 'Reads a value from a machine by a command that changes nothing; known in a dry run too.',
  title: (want) => want.purpose ?? `ask ${commandLine(want.run)}`,
  nature: 'action',
  probe: (want) => commandScript(want.run, want),
  judge: (output, want) =>
    output.code === 0 ? satisfied(resultOf(output)) : needed({ code: output.code }, [{ what: commandLine(want.run) }]),
  apply: (_host, want) => commandScript(want.run, want),
  result: resultOf,
  example: { run: ['cat', '/etc/machine-id'] },
});
