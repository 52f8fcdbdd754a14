import { sh } from '../../model/script.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { absolute, invalid, isProtected, parentOf, protectedPaths } from './lib/path.ts';
import { describeSeen, lookAt, metaOf, parseSeen } from './lib/seen-file.ts';
import { withFunctions } from './lib/shell.ts';

/** Something that must not be there. */
export interface Remove {
  readonly path: string;
  /** Why no copy of it is kept, for what is large or worthless; the step can then not be undone. */
  readonly withoutCopy?: string;
}

function removable(want: Remove): string {
  if (isProtected(absolute(want.path))) throw invalid(`${want.path} must never be removed`);
  return want.path;
}

/** Removes a file, a link or a directory with all that is in it; never one of the system's own directories. */
export const remove = defineStep<Remove>()({
  kind: 'remove',
  description:
    'A file, link or whole directory that must not exist. Refuses directories of the system and mount points.',
  title: (want) => `remove ${want.path}`,
  probe: (want) => lookAt(removable(want), { noDigest: true }),
  judge: (output, want) => {
    const seen = parseSeen(output);
    return seen.type === 'absent' ? satisfied() : needed(metaOf(seen), [{ what: want.path, from: describeSeen(seen) }]);
  },
  apply: (_host, want) =>
    withFunctions(
      'mounts',
      sh`p=${removable(want)}
if [ -d "$p" ] && [ ! -L "$p" ]; then
  kxg_real "$p" || kxg_fail "cannot look into $p"
  for d in ${protectedPaths()}; do
    if [ "$kxg_r" = "$d" ]; then kxg_fail "$p leads to $d, which must never be removed"; fi
  done
  case "$kxg_r" in /home/*/*) ;; /home/*) kxg_fail "$p leads to the home directory $kxg_r" ;; esac
  if [ ${parentOf(want.path)} = / ]; then kxg_fail "$p is a directory of the root: it is not removed"; fi
  if kxg_mounts "$p" below; then kxg_fail "something is mounted on or below $p: unmount it first"; fi
fi
rm -rf -- "$p"`,
    ),
  saves: (want) => (want.withoutCopy === undefined ? [want.path] : []),
  irreversible: (want) => want.withoutCopy,
  timeoutSeconds: 600,
  example: { path: '/etc/cni/net.d/87-podman-bridge.conflist' },
});
