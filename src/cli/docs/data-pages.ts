import type { ErrorEntry, FieldDescription } from '../../index.ts';
import { code, markdownTable, page } from './markdown.ts';

/** The reference of the configuration file. */
export function configPage(fields: readonly FieldDescription[]): string {
  const parts = Map.groupBy(fields, ({ path }) => /^spec\.[^.[]+/.exec(path)?.[0] ?? 'document');
  return page(
    'Configuration',
    ['Every field of the cluster file, in its order. An editor knows them too: `kubexm generate schema`.', ''],
    ...[...parts].map(([name, group]) => [
      `## ${name}`,
      '',
      ...markdownTable(
        ['field', 'type', 'default', 'meaning'],
        group.map((field) => [
          code(field.path),
          field.type,
          field.default === undefined ? '' : code(field.default),
          meaning(field),
        ]),
      ),
    ]),
  );
}

function meaning({ description, required, secret, aliases }: FieldDescription): string {
  const notes = [
    ...(required ? ['Required.'] : []),
    ...(secret ? ['A secret: `env:NAME`, `file:/path` or `prompt`.'] : []),
    ...(aliases.length === 0 ? [] : [`Also accepted: ${aliases.map(code).join(', ')}.`]),
  ];
  return [description, ...notes].filter((text) => text !== '').join(' ');
}

/** The reference of errors, in both languages. */
export function errorsPage(catalogue: Readonly<Record<string, ErrorEntry>>): string {
  const entries = Object.entries(catalogue).sort(([a], [b]) => (a < b ? -1 : 1));
  return page(
    'Errors',
    ['Every error has a code. `kubexm explain CODE` shows the same on the command line.', ''],
    ...entries.map(([name, { title, remedy, exit }]) => [
      `## ${name}`,
      '',
      `${shown(title.en)} · ${shown(title.zh)}`,
      '',
      `- ${shown(remedy.en)}`,
      `- ${shown(remedy.zh)}`,
      `- exit code ${exit}`,
      '',
    ]),
  );
}

function shown(text: string): string {
  return text
    .replaceAll(/\{(?:hint|log)\}/g, '')
    .replaceAll(/[<>*_[\]|]/g, (sign) => `\\${sign}`)
    .replaceAll(/\{(\w+)\}/g, '`$1`');
}
