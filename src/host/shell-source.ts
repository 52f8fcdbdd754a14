import { readFileSync } from 'node:fs';

/**
 * The shell script of a file beside the caller, without comments and indentation: those are for readers of the source, hosts
 * do without. The URL must be a literal name and `import.meta.url`: the bundler replaces it by the text (scripts/inline-shell.mjs).
 */
export function shellSource(file: URL | { readonly text: string }): string {
  return compact(file instanceof URL ? readFileSync(file, 'utf8') : file.text);
}

/** Lines without indentation, and no lines that are empty or comments: also in quotes, so no quoted text may need them. */
function compact(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => `${line}\n`)
    .join('');
}
