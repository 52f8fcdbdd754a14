import type { GoModule } from '../../../model/catalog/need.ts';

/** What stands for a requirement; without a version it is a directory beside the module. */
export interface Replacement {
  readonly path: string;
  /** Unset: whatever version is required. */
  readonly version?: string;
  readonly by: { readonly path: string; readonly version?: string };
}

/** A go.mod file, as far as a build depends on it. */
export interface GoMod {
  readonly module: string;
  /** The version of the `go` line, such as `1.24.0`; the language before there was such a line is 1.16. */
  readonly go: string;
  /** The version of the `toolchain` line, without `go` before it. */
  readonly toolchain?: string;
  /** Settings such as `default=go1.24`: only those of the main module count. */
  readonly godebug: readonly string[];
  readonly require: readonly GoModule[];
  readonly exclude: readonly GoModule[];
  readonly replace: readonly Replacement[];
}

/** Reads a go.mod file. Lines that no build depends on, such as `retract`, are passed over. */
export function parseGoMod(text: string): GoMod {
  const found = {
    module: '',
    go: '1.16',
    toolchain: undefined as string | undefined,
    godebug: [] as string[],
    require: [] as GoModule[],
    exclude: [] as GoModule[],
    replace: [] as Replacement[],
  };
  for (const [verb, ...words] of statements(text)) {
    const [first = '', second = ''] = words;
    if (verb === 'module') found.module = first;
    else if (verb === 'go') found.go = first;
    else if (verb === 'toolchain') found.toolchain = first === 'default' ? undefined : first.replace(/^go/, '');
    else if (verb === 'godebug') found.godebug.push(first);
    else if (verb === 'require') found.require.push({ path: first, version: second });
    else if (verb === 'exclude') found.exclude.push({ path: first, version: second });
    else if (verb === 'replace') found.replace.push(replacement(words));
  }
  const { toolchain, ...rest } = found;
  return toolchain === undefined ? rest : { ...rest, toolchain };
}

/** Every statement as its words, those in brackets with the word before the bracket. */
function* statements(text: string): Generator<string[]> {
  let block: string | undefined;
  for (const line of text.split('\n')) {
    const words = line
      .replace(/\/\/.*$/, '')
      .trim()
      .split(/\s+/)
      .filter((word) => word !== '')
      .map(unquoted);
    if (words.length === 0) continue;
    if (block !== undefined) {
      if (words[0] === ')') block = undefined;
      else yield [block, ...words];
    } else if (words[1] === '(') block = words[0];
    else yield words;
  }
}

function unquoted(word: string): string {
  return /^"[^"]*"$|^`[^`]*`$/.test(word) ? word.slice(1, -1) : word;
}

function replacement(words: readonly string[]): Replacement {
  const arrow = words.indexOf('=>');
  const [path = '', version] = words.slice(0, arrow);
  const [byPath = '', byVersion] = words.slice(arrow + 1);
  return {
    path,
    ...(version === undefined ? {} : { version }),
    by: { path: byPath, ...(byVersion === undefined ? {} : { version: byVersion }) },
  };
}
