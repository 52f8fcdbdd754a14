import { sh } from '../../model/script.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { absolute, invalid, tempBeside } from './lib/path.ts';
import { describeSeen, lookAt, metaOf, parseSeen } from './lib/seen-file.ts';
import { withFunctions } from './lib/shell.ts';

/** A symbolic link. */
export interface Symlink {
  readonly path: string;
  /** Taken literally: absolute, or relative to the link's directory. It need not exist. */
  readonly target: string;
}

/** Makes a link, atomically. A file or another link in its place is replaced, a directory never is. */
export const symlink = defineStep<Symlink>()({
  kind: 'symlink',
  description: 'A symbolic link with exactly this target.',
  title: (want) => `link ${want.path}`,
  probe: (want) => lookAt(want.path, { noDigest: true }),
  judge: (output, want) => {
    const seen = parseSeen(output);
    if (seen.type === 'symlink' && Buffer.from(want.target).equals(seen.rest)) return satisfied();
    const from = seen.type === 'absent' ? {} : { from: describeSeen(seen) };
    return needed(metaOf(seen), [{ what: want.path, ...from, to: `link to ${want.target}` }]);
  },
  apply: (_host, want) => {
    if (want.target === '') throw invalid(`the link ${want.path} has no target`);
    return withFunctions(
      'write',
      sh`p=${absolute(want.path)}; t=${tempBeside(want.path)}
[ ! -d "$p" ] || [ -L "$p" ] || kxg_fail "$p is a directory"
kxg_new "$t"; t=$kxg_file; rm -f -- "$t"
ln -s -- ${want.target} "$t" || kxg_fail "cannot make the link $p"
kxg_place "$t" "$p"`,
    );
  },
  saves: (want) => [want.path],
  example: { path: '/usr/local/bin/kubectl', target: '/opt/kubexm/bin/kubectl' },
});
