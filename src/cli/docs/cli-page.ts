import type { CommandSpec, OptionSpec } from '../command-spec.ts';
import { shownArgument, usageLine } from '../help.ts';
import { globalOptions } from '../shared-options.ts';
import { type Say, speaker } from '../texts/index.ts';
import { anchor, code, codeBlock, markdownTable, page } from './markdown.ts';

const EXITS = [0, 1, 2, 3, 4, 5, 6, 7, 64, 130] as const;

/** The reference of the command line. */
export function cliPage(specs: readonly CommandSpec[]): string {
  const say = speaker('en');
  const zh = speaker('zh');
  const shown = specs.filter((spec) => !spec.hidden).sort((a, b) => (a.path < b.path ? -1 : 1));
  const list = shown.map((spec) => [
    `[${code(`kubexm ${spec.path}`)}](#${anchor(`kubexm ${spec.path}`)})`,
    plain(say, spec),
    plain(zh, spec),
  ]);
  return page(
    'Command line',
    ['Results go to stdout, everything else to stderr.', ''],
    markdownTable(['command', 'what it does', '说明'], list),
    ['## Flags of every command', ''],
    optionTable(globalOptions, say),
    ['## Exit codes', ''],
    markdownTable(
      ['code', 'meaning', '含义'],
      EXITS.map((exit) => [String(exit), say(`exit.${exit}`), zh(`exit.${exit}`)]),
    ),
    ...shown.map((spec) => commandPart(spec, say)),
  );
}

function commandPart(spec: CommandSpec, say: Say): string[] {
  const args = (spec.arguments ?? []).map((one) => [code(shownArgument(one)), say(one.text), choices(one.choices)]);
  return [
    `## kubexm ${spec.path}`,
    '',
    plain(say, spec),
    '',
    ...(spec.details ? [say(spec.details), ''] : []),
    ...codeBlock('sh', spec.examples.map((one) => `# ${say(one.text)}\n${one.line}`).join('\n\n')),
    ...codeBlock('text', usageLine(spec, say)),
    ...markdownTable(['argument', 'meaning', 'values'], args),
    ...optionTable(spec.options ?? [], say),
  ];
}

function optionTable(options: readonly OptionSpec[], say: Say): string[] {
  const rows = options.map((one) => [code(one.flags), say(one.text), choices(one.choices), code(one.default ?? '')]);
  return markdownTable(['flag', 'meaning', 'values', 'default'], rows);
}

function choices(values: readonly string[] | undefined): string {
  return (values ?? []).map(code).join(', ');
}

function plain(say: Say, spec: CommandSpec): string {
  return say(spec.summary);
}
