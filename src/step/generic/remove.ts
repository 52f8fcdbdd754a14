import { sh } from '../../model/script.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { absolute, invalid, isProtected } from './lib/path.ts';
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
      'guard',
      sh`p=${removable(want)}
if [ -d "$p" ] && [ ! -L "$p" ]; then
  kxg_guard "$p"
  if kxg_mounts "$p" below; then kxg_fail "something is mounted on or below $p: unmount it first"; fi
fi
rm -rf -- "$p"`,
    ),
  saves: (want) => (want.withoutCopy === undefined ? [want.path] : []),
  irreversible: (want) => want.withoutCopy,
  timeoutSeconds: 600,
  example: { path: '/etc/cni/net.d/87-podman-bridge.conflist' },
});
