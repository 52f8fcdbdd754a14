/** By this a page says that it was not written by hand. */
export const GENERATED = 'Written by `kubexm generate docs` from the code';

/** A table of Markdown. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  return [rowLine(titles), rowLine(titles.map(() => '---')), ...rows.map(rowLine), ''];
}

/** Text as code, whatever it contains; nothing for nothing. */
export function code(text: string): string {
  if (text === '') return '';
  const ticks = '`'.repeat(Math.max(0, ...[...text.matchAll(/`+/g)].map((match) => match[0].length)) + 1);
  return ticks.length === 1 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`;
}

/** A block of code. */
export function codeBlock(language: string, text: string): string[] {
  return [`\`\`\`${language}`, ...text.trimEnd().split('\n'), '```', ''];
}

/** The anchor that a heading gets. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** A page: its title, where it comes from, and its parts. */
export function page(title: string, ...parts: readonly (readonly string[])[]): string {
  const lines = [`<!-- ${GENERATED}. Changes here are lost. -->`, `# ${title}`, '', ...parts.flat()];
  return `${lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

function rowLine(cells: readonly string[]): string {
  return `| ${cells.map(cellText).join(' | ')} |`;
}

// A bar ends a cell even inside code; `<` starts a tag only outside of it.
function cellText(cell: string): string {
  const parts = cell
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ')
    .split(/(`+[^`]+`+)/);
  return parts.map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;'))).join('');
}
