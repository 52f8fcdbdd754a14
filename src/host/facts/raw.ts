/** What `kx_facts` printed, taken apart. */
export interface RawFacts {
  /** Names of the files that were there. */
  readonly paths: readonly string[];
  /** A file's content; empty when it was not there. */
  file(path: string): string;
  /** A file's only word. */
  word(path: string): string;
  section(name: string): string;
  /** A section's lines, without empty ones. */
  lines(name: string): readonly string[];
  /** Whether a path exists. */
  marked(path: string): boolean;
}

/** Files come under `==> name <==`, the rest under `@@ name`. */
export function splitFacts(text: string): RawFacts {
  const files = new Map<string, string[]>();
  const sections = new Map<string, string[]>();
  let into: string[] = [];
  for (const line of text.split('\n')) {
    const file = line.match(/^==> (\/.+) <==$/)?.[1];
    const section = line.match(/^@@ (\w+)$/)?.[1];
    if (file !== undefined || section !== undefined) {
      into = [];
      if (file !== undefined) files.set(file, into);
      else sections.set(section ?? '', into);
    } else into.push(line);
  }
  const section = (name: string): string => (sections.get(name) ?? []).join('\n');
  const file = (path: string): string => (files.get(path) ?? []).join('\n').trimEnd();
  const lines = (name: string): string[] =>
    section(name)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  return {
    paths: [...files.keys()],
    file,
    word: (path) => file(path).trim(),
    section,
    lines,
    marked: (path) => lines('marks').includes(path),
  };
}
