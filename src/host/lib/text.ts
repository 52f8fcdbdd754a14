/** Shell text: `\${` stands for a shell's own `${`, everything else is taken as it is. */
export function posix(parts: TemplateStringsArray): string {
  return (parts.raw[0] ?? '').replaceAll('\\${', '${').replaceAll('\\`', '`');
}
