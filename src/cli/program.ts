import { Argument, type Command, Option } from 'commander';
import type { ExitCode } from '../index.ts';
import {
  type Call,
  type CommandSpec,
  longName,
  type OptionSpec,
  parseArgument,
  parseOption,
  Values,
} from './command-spec.ts';
import { helpText } from './help.ts';
import type { Io } from './io.ts';
import { globalOptions } from './shared-options.ts';
import { UsageCommand } from './usage-command.ts';

/** The commands as a tree of commander's, speaking the reader's language. The exit code arrives through `done`. */
export function buildProgram(
  specs: readonly CommandSpec[],
  io: Io,
  argv: readonly string[],
  done: (code: ExitCode) => void,
): Command {
  const root = new UsageCommand('kubexm');
  root.exitOverride().configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    writeErr: (text) => void io.stderr.write(text),
  });
  const settle = (command: Command, path: string): Command => {
    command.helpOption('-h, --help').helpCommand(false);
    command.helpInformation = () => helpText(path, specs, io);
    return command;
  };
  settle(root, '');
  for (const option of globalOptions) if (longName(option) !== 'help') addOption(root, option);

  for (const spec of specs) {
    const words = spec.path.split(' ');
    const parent = words.slice(0, -1).reduce<Command>((command, word, i) => {
      const known = command.commands.find((one) => one.name() === word);
      return known ?? settle(command.command(word), words.slice(0, i + 1).join(' '));
    }, root);
    addCommand(settle(parent.command(words.at(-1) ?? ''), spec.path), spec, io, argv, done);
  }
  return root;
}

function addCommand(
  command: Command,
  spec: CommandSpec,
  io: Io,
  argv: readonly string[],
  done: (code: ExitCode) => void,
): void {
  for (const argument of spec.arguments ?? []) {
    const parsed = new Argument(argument.name);
    if (argument.choices) parsed.argParser((word) => parseArgument(argument, word));
    command.addArgument(parsed);
  }
  for (const option of spec.options ?? []) addOption(command, option);
  if (spec.passThrough) command.allowUnknownOption().allowExcessArguments();
  command.action(async (...given: readonly unknown[]) => {
    const args = given
      .slice(0, -2)
      .flat()
      .filter((one) => typeof one === 'string');
    const call: Call = { io, args, argv, options: new Values(command.optsWithGlobals()) };
    done(await spec.action(call));
  });
}

function addOption(command: Command, spec: OptionSpec): void {
  const option = new Option(spec.flags);
  if (spec.default !== undefined) option.default(spec.default);
  if (/[<[]/.test(spec.flags)) option.argParser((word: string, before: unknown) => parseOption(spec, word, before));
  command.addOption(option);
}
