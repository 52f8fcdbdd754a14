import { lines, quote, rawScript, type Script, sh } from '../../../model/script.ts';
import { invalid } from './path.ts';

/** Kinds of archive. */
export type ArchiveFormat = 'tar' | 'tar.gz' | 'tar.xz' | 'tar.zst' | 'zip';

/** What of an archive is taken, and where it goes. */
export interface Selection {
  /** How many leading directories of each name are dropped. */
  readonly strip: number;
  /** Files or directories, named as they will be below the destination. Empty: all. */
  readonly members: readonly string[];
}

/** The format a file's name tells. */
export function formatOf(path: string): ArchiveFormat | undefined {
  if (/\.(?:tar\.gz|tgz)$/.test(path)) return 'tar.gz';
  if (/\.(?:tar\.xz|txz)$/.test(path)) return 'tar.xz';
  if (/\.(?:tar\.zst|tzst)$/.test(path)) return 'tar.zst';
  if (path.endsWith('.tar')) return 'tar';
  return path.endsWith('.zip') ? 'zip' : undefined;
}

const TOOLS = {
  tar: ['cat'],
  'tar.gz': ['gzip', '-dc'],
  'tar.xz': ['xz', '-dc'],
  'tar.zst': ['zstd', '-dcq'],
  zip: ['unzip'],
} as const satisfies Record<ArchiveFormat, readonly string[]>;

/**
 * kxg_list prints the names in `$a`, one a line; kxg_unpack puts everything into the directory `$1`.
 * Both fail when any part of the archive cannot be read. Numeric owners of the archive never reach the machine.
 */
export function archiveFunctions(format: ArchiveFormat): Script {
  const [tool, ...flags] = TOOLS[format];
  const check = sh`kxg_tool() {
  command -v ${tool} >/dev/null || { printf '%s\\n' ${`${tool} is not installed, and the archive needs it`} >&2; return 1; }
}`;
  return lines(check, format === 'zip' ? ZIP : tarFunctions({ script: [tool, ...flags].join(' ') }));
}

/** The decompressor's own failure is noted beside: a pipe only tells of its last command. */
function tarFunctions(decompress: Script): Script {
  return sh`kxg_list() {
  kxg_tool || return 1
  if tar --version 2>/dev/null | grep -q 'GNU tar'; then ${decompress} <"$a" | tar --quoting-style=literal -tf -; else ${decompress} <"$a" | tar -tf -; fi
}
kxg_unpack() {
  kxg_tool || return 1
  (umask 022
  { ${decompress} <"$a" || : >"$1.failed"; } | { tar -x -o -p -f - -C "$1"; kxg_c=$?; cat >/dev/null; exit "$kxg_c"; }) && [ ! -e "$1.failed" ]
}`;
}

const ZIP = rawScript(`kxg_list() {
  kxg_tool || return 1
  LC_ALL=C.UTF-8 unzip -Z1 "$a" 2>/dev/null || LC_ALL=C.UTF-8 unzip -l "$a" | sed -e '1,/^ *-----/d' -e '/^ *-----/,$d' -e 's/^ *[0-9]* *[-0-9]* *[0-9:]* *//'
}
kxg_unpack() {
  kxg_tool || return 1
  (umask 022; LC_ALL=C.UTF-8 unzip -q -o "$a" -d "$1" </dev/null)
}`);

/** kxg_pick NAME: sets n to the name below the destination; fails when the name is not taken. Needs no other process. */
export function pickFunction(selection: Selection): Script {
  const patterns = selection.members.map((member) => `${quoted(member)} | ${quoted(member)}/*`).join(' | ');
  const wanted = rawScript(patterns === '' ? '' : `  case "$n" in ${patterns}) ;; *) return 1 ;; esac`);
  return lines(
    sh`kxg_pick() {
  n=$1
  while :; do case "$n" in /*) n=\${n#/} ;; ./*) n=\${n#./} ;; */) n=\${n%/} ;; *) break ;; esac; done
  case "/$n/" in */../* | /./ | //) return 1 ;; esac
  s=${selection.strip}
  while [ "$s" -gt 0 ]; do case "$n" in */*) n=\${n#*/} ;; *) return 1 ;; esac; s=$((s - 1)); done`,
    wanted,
    sh`}`,
  );
}

/** Members are names below the destination: relative, without tricks. */
export function checkSelection(selection: Selection): Selection {
  if (!Number.isInteger(selection.strip) || selection.strip < 0)
    throw invalid(`${selection.strip} is no number of directories to drop`);
  for (const member of selection.members) {
    const parts = member.split('/');
    if (/[\0\n]/.test(member) || parts.some((part) => part === '' || part === '.' || part === '..')) {
      throw invalid(`${JSON.stringify(member)} is no member of an archive`);
    }
  }
  return selection;
}

function quoted(word: string): string {
  const safe = quote(word);
  return safe === word ? `'${word}'` : safe;
}
