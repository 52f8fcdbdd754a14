import type { OptionSpec } from './command-spec.ts';

/** Formats of what is read. */
export type Format = 'table' | 'wide' | 'json' | 'yaml' | 'name';

/** Flags that every command has. */
export const globalOptions: readonly OptionSpec[] = [
  { flags: '--lang <lang>', text: 'opt.lang', choices: ['en', 'zh'] },
  { flags: '--no-color', text: 'opt.no-color' },
  { flags: '--no-input', text: 'opt.no-input' },
  { flags: '-y, --yes', text: 'opt.yes' },
  { flags: '-v, --debug', text: 'opt.debug' },
  { flags: '-h, --help', text: 'opt.help' },
];

/** Which cluster a command is about. */
export const clusterOptions: readonly OptionSpec[] = [
  { flags: '-f, --file <path>', text: 'opt.file', kind: 'file' },
  { flags: '-c, --cluster-name <name>', text: 'opt.cluster-name', kind: 'context' },
  { flags: '--lab <name>', text: 'opt.lab', kind: 'lab' },
];

/** Which cluster a command acts on, and the fields of its configuration that hold instead of the file's. */
export const configOptions: readonly OptionSpec[] = [
  ...clusterOptions,
  { flags: '-e, --extra-vars <field=value>', text: 'opt.extra-vars', repeat: true, kind: 'field' },
];

/** How what is read is written. */
export function outputOption(formats: readonly Format[], standard: Format): OptionSpec {
  return { flags: '-o, --output <format>', text: 'opt.output', choices: formats, default: standard };
}

/** All formats. */
export const allFormats: readonly Format[] = ['table', 'wide', 'json', 'yaml', 'name'];
