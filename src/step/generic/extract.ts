import { basename } from 'node:path';
import { lines, type Script, sh } from '../../model/script.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import {
  type ArchiveFormat,
  archiveFunctions,
  checkSelection,
  formatOf,
  pickFunction,
  type Selection,
} from './lib/archive.ts';
import { absolute, invalid } from './lib/path.ts';
import { withFunctions } from './lib/shell.ts';
import { ownerWord } from './lib/write.ts';

/** An archive of the host, to be unpacked there. */
export interface Extract {
  readonly archive: string;
  /** Of the archive, in hex: what is there is then known to come from it, even after the archive is gone. */
  readonly sha256: string;
  /** The directory to unpack into. It must exist. */
  readonly dest: string;
  /** What it is: `containerd`. Another archive of the same name takes the place of this one. */
  readonly name: string;
  /** Default: what the archive's name ends with. */
  readonly format?: ArchiveFormat;
  /** How many leading directories of each name are dropped. */
  readonly strip?: number;
  /** Files or directories to take, named as they will be below `dest`. Default: all. */
  readonly members?: readonly string[];
  /** Default: the user that runs the step. Never the archive's. */
  readonly owner?: string;
}

interface Checked {
  readonly archive: string;
  readonly dest: string;
  readonly record: string;
  readonly format: ArchiveFormat;
  readonly selection: Selection;
}

function checked(want: Extract): Checked {
  const format = want.format ?? formatOf(want.archive);
  if (format === undefined) throw invalid(`the name of ${want.archive} does not tell its format`);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(want.name))
    throw invalid(`${JSON.stringify(want.name)} is no name for what is extracted`);
  if (want.dest.includes('\n')) throw invalid(`${JSON.stringify(want.dest)} has a line break in it`);
  const dest = absolute(want.dest);
  const selection = checkSelection({ strip: want.strip ?? 0, members: want.members ?? [] });
  return {
    archive: absolute(want.archive),
    dest,
    record: `${dest === '/' ? '' : dest}/.kubexm-${want.name}`,
    format,
    selection,
  };
}

/**
 * kxg_sum RECORD: one digest of everything that the record names, as it is now: contents and modes of files, targets of
 * links. The record holds `f`, `l` or `d` and a name on each line after its first.
 */
function sumFunction(owner: string | undefined): Script {
  const format = owner === undefined ? '%f %n' : '%f %u %g %n';
  return sh`kxg_names() { sed -n "2,\\$s/^$1 /.\\//p" "$r" | tr '\\n' '\\0'; }
kxg_sum() {
  { kxg_names f | xargs -0 -r sha256sum --
    kxg_names f | xargs -0 -r stat -c ${format} --
    kxg_names l | xargs -0 -r sh -c 'for l; do printf "%s -> " "$l"; readlink -- "$l"; done' sh
    kxg_names d | xargs -0 -r sh -c 'for d; do if [ -d "$d" ]; then printf "%s/\\n" "$d"; fi; done' sh
  } 2>/dev/null | { h=$(sha256sum); printf '%s\\n' "\${h%% *}"; }
}`;
}

/** Unpacks beside, then gives every file its name, then writes the record: what is half done never counts as done. */
export const extract = defineStep<Extract>()({
  kind: 'extract',
  description:
    'Files of a tar, tar.gz, tar.xz, tar.zst or zip archive of the host; all, or chosen ones. Directories that exist are left as they are.',
  title: (want) => `extract ${want.name} to ${want.dest}`,
  probe: (want) => {
    const { dest, record } = checked(want);
    return lines(
      sumFunction(want.owner),
      sh`r=${record}; [ -f "$r" ] && cd -- ${dest} || exit 2
read -r _ was sum <"$r"; echo "$was $sum $(kxg_sum)"`,
    );
  },
  judge: (output, want) => {
    const [archive = '', recorded = '', now = ''] = output.code === 0 ? output.stdout.trim().split(' ') : [];
    if (archive === want.sha256 && recorded !== '' && recorded === now) return satisfied();
    const from =
      archive === ''
        ? {}
        : { from: archive === want.sha256 ? 'changed since it was extracted' : `from another archive` };
    return needed({ archive }, [
      { what: `${want.name} in ${want.dest}`, ...from, to: `from ${basename(want.archive)}` },
    ]);
  },
  apply: (_host, want) => {
    const { archive, dest, record, format, selection } = checked(want);
    return withFunctions(
      'write',
      archiveFunctions(format),
      pickFunction(selection),
      sumFunction(want.owner),
      sh`a=${archive}; d=${dest}; r=${record}; t="$r.new"
[ -d "$d" ] || kxg_fail "the directory $d does not exist; a directory step has to come first"
[ -f "$a" ] || kxg_fail "the archive $a does not exist"
h=$(sha256sum <"$a"); h=\${h%% *}
[ "$h" = ${want.sha256} ] || kxg_fail "$a has sha256 $h instead of "${want.sha256}
kxg_new "$t"; t=$kxg_file; rm -f -- "$t"; (umask 077; mkdir -- "$t" "$t/x") || kxg_fail "cannot write in $d"
kxg_unpack "$t/x" || kxg_fail "cannot unpack $a"
kxg_list | while IFS= read -r n; do if kxg_pick "$n"; then printf '%s\\n' "$n"; fi; done >"$t/listed"
cd -- "$t/x" || kxg_fail "cannot unpack $a"
[ -z "$(find . -name '*
*' -o ! -type f ! -type d ! -type l)" ] || kxg_fail "$a holds a device, or a name with a line break"
find . ! -name . | LC_ALL=C sort | while IFS= read -r f; do if kxg_pick "$f"; then printf '%s\\n' "$f"; fi; done >"$t/files"`,
      checkScript(selection),
      ownScript(want.owner),
      MOVE,
      sh`r="$t/record"
{ printf 'kubexm-extract\\n'; cat "$t/entries"; } >"$r" && cd -- "$d" && s=$(kxg_sum) || kxg_fail "cannot write the record of "${want.name}
{ printf 'kubexm-extract %s %s\\n' "$h" "$s"; cat "$t/entries"; } >"$r" && chmod 0644 "$r" || kxg_fail "cannot write the record of "${want.name}
kxg_place "$r" ${record}
rm -rf -- "$t"`,
    );
  },
  saves: (want) => {
    const { archive, dest, record, format, selection } = checked(want);
    return lines(
      archiveFunctions(format),
      pickFunction(selection),
      sh`a=${archive}; d=${dest}
if [ -f "$a" ]; then l=$(kxg_list) || exit 1; else l=; fi
printf '%s\\n' "$l" | while IFS= read -r n; do
  kxg_pick "$n" || continue
  p="$d/$n"
  if [ -L "$p" ] || [ -e "$p" ]; then
    if [ -L "$p" ] || [ ! -d "$p" ]; then printf '%s\\n' "$p"; fi
    continue
  fi
  while [ "\${p%/*}" != "$d" ] && [ ! -e "\${p%/*}" ]; do p=\${p%/*}; done
  printf '%s\\n' "$p"
done | LC_ALL=C sort -u
printf '%s\\n' ${record}`,
    );
  },
  timeoutSeconds: 900,
  estimateSeconds: 5,
  example: {
    archive: '/var/lib/kubexm/containerd.tar.gz',
    sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    dest: '/usr/local',
    name: 'containerd',
    members: ['bin/containerd', 'bin/ctr'],
  },
});

/** Before anything is touched: all members are there, nothing is in the way, and no name differs from what was listed. */
function checkScript(selection: Selection): Script {
  return sh`for m in ${selection.members}; do
  (while IFS= read -r f; do kxg_pick "$f"; if [ "$n" = "$m" ]; then exit 0; fi; done <"$t/files"; exit 1) || kxg_fail "$a does not hold $m"
done
while IFS= read -r f; do
  kxg_pick "$f"
  if [ -d "$f" ] && [ ! -L "$f" ]; then
    if [ -L "$d/$n" ] || [ -e "$d/$n" ]; then [ -d "$d/$n" ] || kxg_fail "$d/$n is in the way: it is not a directory"; fi
    printf 'd %s\\n' "$n"; continue
  fi
  if [ -d "$d/$n" ] && [ ! -L "$d/$n" ]; then kxg_fail "$d/$n is in the way: it is a directory"; fi
  grep -qxF -e "$n" "$t/listed" || kxg_fail "$a holds a name that cannot be handled: $n"
  if [ -L "$f" ]; then printf 'l %s\\n' "$n"; else printf 'f %s\\n' "$n"; fi
done <"$t/files" >"$t/entries" || exit 1`;
}

function ownScript(owner: string | undefined): Script {
  return owner === undefined ? sh`` : sh`chown -hR -- ${ownerWord(owner)} "$t/x" || kxg_fail "cannot set the owner"`;
}

/** Directories that are missing are made like those of the archive; files replace what has their name. */
const MOVE = sh`while IFS= read -r f; do
  kxg_pick "$f"
  if [ -d "$f" ] && [ ! -L "$f" ]; then
    [ -d "$d/$n" ] || { mkdir -- "$t/d" && chown -- "$(stat -c %u:%g -- "$f")" "$t/d" && chmod "$(stat -c %a -- "$f")" "$t/d" && mv -T -- "$t/d" "$d/$n"; } || kxg_fail "cannot make $d/$n"
    continue
  fi
  case "$n" in */*) (umask 022; mkdir -p -- "$d/\${n%/*}") || kxg_fail "cannot make $d/\${n%/*}" ;; esac
  kxg_place "$t/x/\${f#./}" "$d/$n"
done <"$t/files" || exit 1`;
