/** What the index of a repository says about a package. */
export interface Package {
  readonly name: string;
  readonly version: string;
  readonly section: string;
  readonly sha256: string;
  readonly size: number;
  /** Each of these must be there; of the names in one, the first that exists. */
  readonly depends: readonly (readonly string[])[];
}

/** Reads what `apt-cache show` prints: paragraphs of fields, continued by indented lines. The first of a name counts. */
export function parsePackages(text: string): readonly Package[] {
  const found = new Map<string, Package>();
  for (const paragraph of text.split(/\n\n+/)) {
    const fields = new Map<string, string>();
    let last = '';
    for (const line of paragraph.split('\n')) {
      const field = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line);
      if (field?.[1] !== undefined) {
        last = field[1].toLowerCase();
        fields.set(last, field[2] ?? '');
      } else if (/^[ \t]/.test(line) && last !== '') fields.set(last, `${fields.get(last)} ${line.trim()}`);
    }
    const name = fields.get('package');
    if (name === undefined || found.has(name)) continue;
    found.set(name, {
      name,
      version: fields.get('version') ?? '',
      section: fields.get('section') ?? '',
      sha256: fields.get('sha256') ?? '',
      size: Number(fields.get('size') ?? 0),
      depends: [...relations(fields.get('pre-depends')), ...relations(fields.get('depends'))],
    });
  }
  return [...found.values()];
}

/** `libc6 (>= 2.36), debconf | debconf-2.0`: the names only. A repository is whole by itself: versions fit. */
function relations(text = ''): readonly (readonly string[])[] {
  return text
    .split(',')
    .map((one) => one.split('|').flatMap((name) => /^\s*([a-z0-9][a-z0-9+.-]*)/.exec(name)?.[1] ?? []))
    .filter((names) => names.length > 0);
}
