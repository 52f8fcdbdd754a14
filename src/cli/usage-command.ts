import { Command, type ErrorOptions } from 'commander';
import { type CliError, cliError } from './cli-error.ts';

/** A command whose complaints are errors of the catalogue. */
export class UsageCommand extends Command {
  override createCommand(name?: string): Command {
    return new UsageCommand(name);
  }

  override error(message: string, options?: ErrorOptions): never {
    throw usageError(this, options?.code ?? '', message);
  }
}

/** What commander means, as an error of the catalogue. The word at fault stands in quotes in its message. */
function usageError(command: Command, code: string, message: string): CliError {
  const words = [...message.matchAll(/'([^']*)'/g)].map((match) => match[1] ?? '');
  const word = words[0] ?? '';
  const name = pathOf(command);
  const help = `${name} --help`;
  switch (code) {
    case 'commander.unknownCommand':
      return cliError(
        'KX1001',
        { command: `${name} ${word}`, help },
        { similar: { word, among: subcommands(command) } },
      );
    case 'commander.unknownOption': {
      // What stands behind a flag may be a secret: it is not shown.
      const [flag = '', value] = word.split('=', 2);
      const option = value === undefined ? flag : `${flag}=…`;
      return cliError('KX1002', { command: name, option, help }, { similar: { word: flag, among: flagsOf(command) } });
    }
    case 'commander.missingArgument':
      return cliError('KX1003', { command: name, argument: word.toUpperCase(), help });
    case 'commander.excessArguments':
      return cliError('KX1004', { command: name, extra: extraOf(command), help });
    case 'commander.optionMissingArgument':
      return cliError('KX1005', { option: longFlag(word), help });
    case 'commander.missingMandatoryOptionValue':
      return cliError('KX1007', { command: name, option: longFlag(word), help });
    case 'commander.conflictingOption':
      return cliError('KX1008', { first: word, second: words[1] ?? '' });
    default:
      return cliError('KX1099', { reason: message, log: '' });
  }
}

/** `--file` of `-f, --file <path>`. */
function longFlag(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags;
}

/** A command as it is typed: `kubexm get runs`. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function subcommands(command: Command): string[] {
  return command.commands.map((one) => one.name());
}

function flagsOf(command: Command | null): string[] {
  if (!command) return [];
  return [...command.options.map((option) => option.long ?? ''), '--help', ...flagsOf(command.parent)];
}

function extraOf(command: Command): string {
  return command.args.slice(command.registeredArguments.length).join(' ');
}
