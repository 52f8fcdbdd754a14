import { padText, textWidth, wrapText } from '../model/text/width.ts';
import type { ArgumentSpec, CommandSpec, OptionSpec } from './command-spec.ts';
import type { Io } from './io.ts';
import { globalOptions } from './shared-options.ts';
import { isText, type PlainKey, type Say } from './texts/index.ts';

/** The help of a command, a group of commands, or all of kubexm. Examples come first. */
export function helpText(path: string, specs: readonly CommandSpec[], io: Io): string {
  const spec = specs.find((one) => one.path === path);
  const lines = spec ? commandHelp(spec, io) : groupHelp(path, specs, io);
  return `${lines.join('\n')}\n`;
}

/** What a group of commands is for. */
export function groupSummary(path: string, say: Say): string {
  const key = `group.${path || 'kubexm'}`;
  return isText(key) ? say(key) : '';
}

/** How a command is typed: `kubexm get runs [options]`. */
export function usageLine(spec: CommandSpec, say: Say): string {
  const args = (spec.arguments ?? []).map((one) => shownArgument(one));
  return ['kubexm', spec.path, say('help.optionsWord'), ...args].join(' ').trim();
}

/** An argument as it is shown: `RUN`, `[CODE]`, `COMMAND…`. */
export function shownArgument({ name }: ArgumentSpec): string {
  const upper = name
    .replace(/[<>[\]]/g, '')
    .replace('...', '…')
    .toUpperCase();
  const text = name.includes('...') ? `-- ${upper}` : upper;
  return name.startsWith('[') ? `[${text}]` : text;
}

/** Two columns: names and what they are. */
interface Entry {
  readonly name: string;
  readonly text: string;
}

function commandHelp(spec: CommandSpec, io: Io): string[] {
  const { say } = io;
  return [
    ...summary(spec, io),
    ...section(
      io,
      'help.examples',
      spec.examples.flatMap((one) => [io.paint('dim', `  # ${say(one.text)}`), `  ${one.line}`]),
    ),
    ...section(io, 'help.usage', [`  ${usageLine(spec, say)}`]),
    ...section(
      io,
      'help.arguments',
      columns(
        (spec.arguments ?? []).map((one) => argumentEntry(one, say)),
        io,
      ),
    ),
    ...section(
      io,
      'help.options',
      columns(
        (spec.options ?? []).map((one) => optionEntry(one, say)),
        io,
      ),
    ),
    ...section(
      io,
      'help.global',
      columns(
        globalOptions.map((one) => optionEntry(one, say)),
        io,
      ),
    ),
  ];
}

function groupHelp(path: string, specs: readonly CommandSpec[], io: Io): string[] {
  const { say } = io;
  const inside = specs.filter((spec) => !spec.hidden && (path === '' || spec.path.startsWith(`${path} `)));
  const examples = inside.slice(0, 4).flatMap((spec) => spec.examples.slice(0, 1));
  const prefix = path === '' ? 'kubexm' : `kubexm ${path}`;
  return [
    io.paint('bold', groupSummary(path, say)),
    ...section(
      io,
      'help.examples',
      examples.flatMap((one) => [io.paint('dim', `  # ${say(one.text)}`), `  ${one.line}`]),
    ),
    ...section(io, 'help.usage', [`  ${prefix} ${say('help.commandWord')} ${say('help.optionsWord')}`]),
    ...section(
      io,
      'help.commands',
      columns(
        inside.map((spec) => ({ name: spec.path, text: say(spec.summary) })),
        io,
      ),
    ),
    ...section(
      io,
      'help.global',
      columns(
        globalOptions.map((one) => optionEntry(one, say)),
        io,
      ),
    ),
    ...(path === '' ? ['', say('help.more')] : []),
  ];
}

function summary(spec: CommandSpec, io: Io): string[] {
  const details = spec.details ? ['', ...wrapText(io.say(spec.details), helpWidth(io))] : [];
  return [io.paint('bold', io.say(spec.summary)), ...details];
}

function section(io: Io, title: PlainKey, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', io.paint('cyan', io.say(title)), ...lines];
}

function argumentEntry(one: ArgumentSpec, say: Say): Entry {
  return { name: shownArgument(one), text: withChoices(say(one.text), one.choices, undefined, say) };
}

function optionEntry(one: OptionSpec, say: Say): Entry {
  const flags = one.flags.replace(/[<[]([^>\]]+)[>\]]/, (whole, name: string) =>
    whole.startsWith('[') ? `[${name.toUpperCase()}]` : name.toUpperCase(),
  );
  const name = flags.startsWith('--') ? `    ${flags}` : flags;
  return { name, text: withChoices(say(one.text), one.choices, one.default, say) };
}

function withChoices(
  text: string,
  choices: readonly string[] | undefined,
  standard: string | undefined,
  say: Say,
): string {
  const notes = [
    ...(choices ? [choices.join('|')] : []),
    ...(standard === undefined ? [] : [say('help.default', { value: standard })]),
  ];
  return notes.length === 0 ? text : say('help.notes', { text, notes: notes.join(say('listComma')) });
}

function columns(entries: readonly Entry[], io: Io): string[] {
  const width = entries.reduce((most, one) => Math.max(most, textWidth(one.name)), 0);
  const room = Math.max(24, helpWidth(io) - width - 5);
  return entries.flatMap(({ name, text }) => {
    const [first = '', ...rest] = wrapText(text, room);
    return [`  ${padText(name, width)}   ${first}`, ...rest.map((line) => `${' '.repeat(width + 5)}${line}`)];
  });
}

// Lines of help stay readable on a wide screen, and the same wherever they are not for a screen.
function helpWidth(io: Io): number {
  return io.stdout.isTTY ? Math.min(io.stdout.columns ?? 100, 100) : 100;
}
