/** Shell text: `\${` stands for a shell's own `${`, everything else is taken as it is. */
export function posix(parts: TemplateStringsArray): string {
  return (parts.raw[0] ?? '').replaceAll('\\${', '${').replaceAll('\\`', '`');
}

/** Without comments and indentation: those are for readers here, the hosts do without. */
export function compact(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => `${line}\n`)
    .join('');
}
