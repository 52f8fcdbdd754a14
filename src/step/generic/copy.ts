import { lines, type Script, sh } from '../../model/script.ts';
import type { Change } from '../../plan/diff.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { modeText, type Ownership, parseMode, parseOwner } from './lib/ownership.ts';
import { absolute, invalid, isProtected, tempBeside } from './lib/path.ts';
import { withFunctions } from './lib/shell.ts';
import { TREE_FUNCTION } from './lib/tree.ts';
import { ownerWord } from './lib/write.ts';

/** A copy of a file or directory of the same machine. */
export interface Copy extends Ownership {
  readonly source: string;
  readonly path: string;
}

function checked(want: Copy): Copy {
  absolute(want.source);
  if (isProtected(absolute(want.path))) throw invalid(`${want.path} must never be replaced`);
  if (`${want.path}/`.startsWith(`${want.source}/`))
    throw invalid(`${want.path} is inside what is copied, ${want.source}`);
  if (`${want.source}/`.startsWith(`${want.path}/`)) throw invalid(`${want.path} holds what is copied, ${want.source}`);
  return want;
}

/** Which entries below `$p` do not belong to whom they should. */
function strangers(owner: string | undefined): Script {
  if (owner === undefined) return sh`false`;
  const { user, group } = parseOwner(owner);
  const byUser = user === undefined ? sh`` : sh`-user ${user}`;
  const byGroup = group === undefined ? sh`` : sh`-group ${group}`;
  // A name that does not exist makes find fail: then nothing can belong to it.
  return sh`! kxg_s=$(find "$p" ! '(' ${byUser} ${byGroup} ')' 2>&1) || [ -n "$kxg_s" ]`;
}

/** Copies a file, or a directory as a whole: what is in the copy and not in the source goes. */
export const copy = defineStep<Copy>()({
  kind: 'copy',
  description: 'A copy of a file or directory of the same machine, with the same content and mode.',
  title: (want) => `copy ${want.source} to ${want.path}`,
  probe: (want) => {
    const { source, path, mode, owner } = checked(want);
    const wantedMode = mode === undefined ? sh`"$(stat -L -c %a -- "$s")"` : sh`${parseMode(mode).toString(8)}`;
    return lines(
      TREE_FUNCTION,
      sh`s=${source}; p=${path}
if [ -d "$p" ] && [ ! -L "$p" ]; then k=directory; elif [ -f "$p" ] && [ ! -L "$p" ]; then k=file; elif [ -e "$p" ] || [ -L "$p" ]; then k=other; else k=absent; fi
same=no
if [ -f "$s" ] && [ "$k" = file ] && [ "$(sha256sum <"$s")" = "$(sha256sum <"$p")" ]; then same=yes; fi
if [ -d "$s" ] && [ "$k" = directory ] && [ "$(cd -- "$s" && kxg_tree)" = "$(cd -- "$p" && kxg_tree)" ]; then same=yes; fi
m=no; if [ "$same" = yes ]; then if [ -d "$s" ] || [ "$(stat -c %a -- "$p")" = ${wantedMode} ]; then m=yes; fi; fi
o=no; if [ "$same" = yes ]; then if ${strangers(owner)}; then :; else o=yes; fi; fi
echo "$k $same $m $o"`,
    );
  },
  judge: (output, want) => {
    const [kind = 'absent', same, mode, owner] = output.stdout.trim().split(' ');
    if (same === 'yes' && mode === 'yes' && owner === 'yes') return satisfied();
    const changes: Change[] = [];
    if (same !== 'yes')
      changes.push({
        what: want.path,
        ...(kind === 'absent' ? {} : { from: kind === 'other' ? 'something else' : `another ${kind}` }),
        to: `copy of ${want.source}`,
      });
    if (mode !== 'yes' && (same === 'yes' || want.mode !== undefined))
      changes.push({ what: 'mode', to: want.mode ?? `that of ${want.source}` });
    if (owner !== 'yes' && want.owner !== undefined) changes.push({ what: 'owner', to: want.owner });
    return needed({ kind }, changes);
  },
  apply: (_host, want) => {
    const { source, path, mode, owner } = checked(want);
    const chown =
      owner === undefined ? sh`` : sh`chown -R -- ${ownerWord(owner)} "$t" || kxg_fail "cannot set the owner of $p"`;
    const chmod =
      mode === undefined
        ? sh``
        : sh`[ -d "$s" ] || chmod ${modeText(parseMode(mode))} "$t" || kxg_fail "cannot set the mode of $p"`;
    return withFunctions(
      'write',
      sh`s=${source}; p=${path}; t=${tempBeside(path)}; old=${`${tempBeside(path)}.old`}
[ -d "$s" ] || [ -f "$s" ] || kxg_fail "$s does not exist"
if [ -d "$s" ] && { [ -e "$p" ] || [ -L "$p" ]; }; then
  [ -d "$p" ] || kxg_fail "$p is in the way: it is not a directory"
  [ -L "$p" ] || kxg_guard "$p"
  if kxg_mounts "$p" below; then kxg_fail "something is mounted on or below $p: unmount it first"; fi
fi
kxg_new "$t"; t=$kxg_file
if [ -d "$s" ]; then
  rm -f -- "$t"; (umask 077; mkdir -- "$t") && cp -a -- "$s/." "$t/" || kxg_fail "cannot copy $s"
else
  cp -p -- "$s" "$t" || kxg_fail "cannot copy $s"
fi`,
      chown,
      chmod,
      sh`if [ -d "$t" ]; then
  rm -rf -- "$old"
  if [ -e "$p" ] || [ -L "$p" ]; then mv -T -- "$p" "$old" || kxg_fail "cannot replace $p"; fi
  mv -T -- "$t" "$p" || { mv -T -- "$old" "$p"; kxg_fail "cannot write $p"; }
  rm -rf -- "$old"
else
  kxg_place "$t" "$p"
fi`,
    );
  },
  saves: (want) => [want.path],
  timeoutSeconds: 600,
  example: { source: '/etc/kubernetes', path: '/var/lib/kubexm/kubernetes-before' },
});
