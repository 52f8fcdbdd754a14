import { sh } from '../../model/script.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { absolute } from '../generic/lib/path.ts';
import { withFunctions } from '../generic/lib/shell.ts';

/** kxg_barred DIRECTORY: whether nothing can be made in it, nor itself: something is in the way, or root may not write there. */
export const BARRED = sh`kxg_barred() {
  if [ -d "$1" ]; then [ ! -w "$1" ]; else [ -e "$1" ] || [ -L "$1" ] || [ ! -w "\${1%/*}" ]; fi
}`;

/** The directory of kubeconfigs in a home. */
export interface HomeDirectory {
  /** `/root/.kube`. Empty: the user has no home. */
  readonly dir: string;
  readonly user: string;
}

/** Makes it for the user, if it is not there and can be made. One that is there keeps its owner and mode. */
export const homeDirectory = defineStep<HomeDirectory>()({
  kind: 'homeDirectory',
  description: "The directory of kubeconfigs in a user's home, made for the user where there is none.",
  title: ({ dir }) => `directory ${dir}`,
  probe: ({ dir }) =>
    dir === ''
      ? sh`echo there`
      : sh`${BARRED}
if [ -d ${absolute(dir)} ] || kxg_barred ${dir}; then echo there; else echo absent; fi`,
  judge: (output, { dir, user }) =>
    output.stdout.trim() === 'absent' ? needed({}, [{ what: dir, to: `directory of ${user}` }]) : satisfied(),
  apply: (_host, { dir, user }) =>
    withFunctions(
      'fail',
      // The home is the user's, who may put a link there meanwhile: only what was made here is given away.
      sh`p=${absolute(dir)}
[ -d "$p" ] || mkdir -m 0755 -- "$p" || kxg_fail "cannot make $p"
chown -h -- ${user}: "$p" || kxg_fail "cannot set the owner of $p"`,
    ),
  revert: (_host, { dir }) =>
    sh`p=${absolute(dir)}
[ -d "$p" ] && [ ! -L "$p" ] || exit 0
# The cache of root's kubectl goes with the node, and the directory with it.
rmdir -- "$p" 2>/dev/null || [ "$(ls -A -- "$p")" = cache ] || kx_leave "$p stays: what is in it is not the cluster's"`,
  example: { dir: '/root/.kube', user: 'root' },
});
