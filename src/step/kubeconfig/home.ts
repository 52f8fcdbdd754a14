import { type Script, sh } from '../../model/script.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { absolute, tempBeside } from '../generic/lib/path.ts';
import { withFunctions } from '../generic/lib/shell.ts';
import { BARRED } from './home-directory.ts';

/** A kubeconfig in the home of a user of the machine. */
export interface HomeKubeconfig {
  /** `/root/.kube`. Empty: the user has no home, and gets none. */
  readonly dir: string;
  readonly user: string;
  /** The administrator's kubeconfig on this machine. */
  readonly source: string;
}

/**
 * What is there: nothing, what is wanted, what was wanted before certificates were renewed, or something of somebody else, be it
 * only a place where root cannot write.
 */
type State = 'absent' | 'ours' | 'stale' | 'theirs';

/** Everything but the client's certificate and key: those are renewed. */
const LASTING = sh`kxg_lasting() { grep -Ev '^ *client-(certificate|key)-data: ' "$1" | sha256sum; }`;

/**
 * kubectl works for a user of the machine. root gets a link, which is right for as long as the original is. Others may not read
 * the original and get a copy, which is made again when it is older. What somebody else has put there is left alone.
 */
export const homeKubeconfig = defineStep<HomeKubeconfig>()({
  kind: 'homeKubeconfig',
  description: "A kubeconfig in a user's home: a link for root, a private copy for others. One that is not ours stays.",
  title: (want) => `kubeconfig of ${want.user}`,
  probe: ({ dir, user, source }) =>
    dir === ''
      ? sh`echo ours`
      : sh`p=${`${absolute(dir)}/config`}; s=${source}
${LASTING}
${BARRED}
kxg_state() {
  if [ -L "$p" ]; then
    if [ "$(readlink -- "$p")" = "$s" ]; then echo ours; else echo theirs; fi
  elif [ ! -e "$p" ]; then echo absent
  elif [ ${user} = root ] || [ ! -f "$p" ] || [ "$(stat -c %u -- "$p")" != "$(id -u -- ${user})" ]; then echo theirs
  elif [ "$(kxg_lasting "$p")" != "$(kxg_lasting "$s")" ]; then echo theirs
  elif cmp -s -- "$p" "$s" && [ "$(stat -c %a -- "$p")" = 600 ]; then echo ours
  else echo stale; fi
}
state=$(kxg_state)
case $state in absent | stale) ! kxg_barred ${dir} || state=theirs ;; esac
echo "$state"`,
  judge: (output, { dir, user, source }) => {
    const state = (output.stdout.trim() || 'absent') as State;
    if (state === 'ours' || state === 'theirs') return satisfied({ left: state === 'theirs' ? `${dir}/config` : '' });
    const to = user === 'root' ? `link to ${source}` : `copy of ${source} for ${user}`;
    return needed({ state }, [{ what: `${dir}/config`, ...(state === 'stale' ? { from: 'an older copy' } : {}), to }]);
  },
  apply: (_host, { dir, user, source }) => {
    const make: Script =
      user === 'root'
        ? sh`rm -f -- "$t"; ln -s -- ${source} "$t"`
        : sh`cat <${source} >"$t" && chmod 0600 "$t" && chown -- ${user}: "$t"`;
    const path = `${absolute(dir)}/config`;
    return withFunctions(
      'write',
      sh`p=${path}; t=${tempBeside(path)}
kxg_new "$t"; t=$kxg_file
{ ${make}; } || kxg_fail "cannot make $p"
kxg_place "$t" "$p"`,
    );
  },
  saves: ({ dir }) => (dir === '' ? [] : [`${dir}/config`]),
  // kubectl leaves its cache there.
  effects: ({ dir }) => (dir === '' ? [] : [{ type: 'path', path: `${dir}/cache` }]),
  example: { dir: '/root/.kube', user: 'root', source: '/etc/kubernetes/admin.conf' },
});

/** A file that is somebody else's. Empty: there is none. */
export interface LeftAlone {
  readonly left: string;
}

/** Tells of a kubeconfig that was left alone. */
export const tellLeft = defineStep<LeftAlone>()({
  kind: 'kubeconfigLeft',
  description: 'Tells of a kubeconfig that was there before and is left alone.',
  title: () => 'look for a kubeconfig of somebody else',
  nature: 'action',
  apply: async (_host, { left }, io): Promise<void> => {
    if (left !== '') io.report({ type: 'finding', finding: { code: 'KX4704', params: { file: left } } });
  },
  example: { left: '' },
});
