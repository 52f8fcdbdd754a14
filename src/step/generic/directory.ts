import { lines, type Script, sh } from '../../model/script.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { modeText, type Ownership, ownershipDiff, parseMode, sameMode, sameOwner } from './lib/ownership.ts';
import { absolute, parentOf } from './lib/path.ts';
import { describeSeen, lookAt, parseSeen } from './lib/seen-file.ts';
import { withFunctions } from './lib/shell.ts';
import { ownerWord } from './lib/write.ts';

/** A directory; those above it are made too, with mode 0755. */
export interface Directory extends Ownership {
  readonly path: string;
}

interface Before {
  readonly existed: boolean;
  readonly mode: string;
  readonly uid: number;
  readonly gid: number;
  /** The directories that had to be made, the lowest first. */
  readonly made: readonly string[];
}

/** A directory and those above it, up to the root. */
function upwards(path: string): readonly string[] {
  return path === '/' ? [] : [path, ...upwards(parentOf(path))];
}

/** Makes a directory. A link that leads to a directory counts as one: somebody put it on another disk. */
export const directory = defineStep<Directory>()({
  kind: 'directory',
  description: 'A directory with this mode and owner; missing ones above it are made as 0755.',
  title: (want) => `directory ${want.path}`,
  probe: (want) =>
    lines(
      lookAt(want.path, { follow: true, noDigest: true }),
      // Which of those above are missing: one character each, so that odd names cannot confuse.
      sh`for d in ${upwards(absolute(want.path))}; do if [ -d "$d" ]; then printf 1; else printf 0; fi; done`,
    ),
  judge: (output, want) => {
    const seen = parseSeen(output);
    const existed = seen.type === 'directory';
    if (existed && sameMode(seen, want.mode) && sameOwner(seen, want.owner)) return satisfied();
    const flags = output.stdout.slice(output.stdout.lastIndexOf('\n') + 1);
    const before: Before = {
      existed,
      mode: modeText(seen.mode),
      uid: seen.uid,
      gid: seen.gid,
      made: upwards(want.path).filter((_path, i) => flags[i] === '0'),
    };
    const from = seen.type === 'absent' ? {} : { from: describeSeen(seen) };
    const itself = existed ? [] : [{ what: want.path, ...from, to: 'directory' }];
    return needed(before, [...itself, ...ownershipDiff(existed ? seen : undefined, want)]);
  },
  apply: (_host, want) => {
    const owner =
      want.owner === undefined
        ? sh``
        : sh`chown -- ${ownerWord(want.owner)} "$p" || kxg_fail "cannot set the owner of $p"`;
    const mode: Script =
      want.mode === undefined
        ? sh`[ "$new" = no ] || chmod 0755 "$p"`
        : sh`chmod ${modeText(parseMode(want.mode))} "$p"`;
    return withFunctions(
      'fail',
      sh`p=${absolute(want.path)}; new=no
if [ ! -d "$p" ]; then
  if [ -e "$p" ] || [ -L "$p" ]; then kxg_fail "$p is in the way: it is not a directory"; fi
  (umask 022; mkdir -p -- ${parentOf(want.path)}) && (umask 077; mkdir -- "$p") || kxg_fail "cannot make $p"
  new=yes
fi`,
      owner,
      sh`${mode} || kxg_fail "cannot set the mode of $p"`,
    );
  },
  revert: (_host, want, before) => {
    if (before.existed)
      return sh`chown -- ${`${before.uid}:${before.gid}`} ${want.path} && chmod ${before.mode} ${want.path}`;
    const above = before.made.filter((path) => path !== want.path);
    return withFunctions(
      'fail',
      sh`p=${absolute(want.path)}
[ ! -L "$p" ] || exit 0
if [ -d "$p" ] && ! why=$(rmdir -- "$p" 2>&1); then
  [ -z "$(ls -A -- "$p")" ] || kx_leave "$p stays: what is in it was not put there by this step"
  kxg_fail "$why"
fi`,
      // What others have put something into stays.
      ...above.map((path) => sh`rmdir -- ${path} 2>/dev/null || exit 0`),
    );
  },
  example: { path: '/etc/kubexm', mode: '0755', owner: 'root:root' },
});
