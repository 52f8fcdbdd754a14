import { type Script, sh } from '../../model/script.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { KUBECTL } from '../generic/index.ts';
import { KUBERNETES } from '../kubeadm/index.ts';

const SYSTEM = [...KUBECTL, '--kubeconfig', KUBERNETES.adminConf, '--request-timeout=20s', '-n', 'kube-system'];
/** The name of a token's secret and, in base64, what it is for. Never the token itself. */
const TOKENS = 'go-template={{range .items}}{{.metadata.name}} {{.data.description}}{{"\\n"}}{{end}}';
const NAME = /^bootstrap-token-[a-z0-9]{6}$/;
const OURS = /^kubexm:/;
const LOOK: Script = sh`${SYSTEM} get secrets --field-selector type=bootstrap.kubernetes.io/token -o ${TOKENS}`;

/** Nobody can join any more by a token that was made for the nodes of this run. Tokens of other people stay. */
export const joinSecrets = defineStep<object>()({
  kind: 'joinSecrets',
  description: 'Removes the tokens that kubexm made for nodes to join; tokens of other people stay.',
  title: () => 'no token of kubexm is left',
  guard: 'cleanup',
  probe: () => LOOK,
  judge: (output) => {
    // Where there is no cluster yet, `kubeadm init` will make one.
    const names = output.code === 0 ? oursIn(output.stdout) : ['bootstrap-token'];
    if (names.length === 0) return satisfied();
    return needed(
      { names },
      names.map((what) => ({ what, to: 'removed' })),
    );
  },
  apply: async (host, _want, io): Promise<void> => {
    const names = oursIn((await host.run(LOOK, { signal: io.signal })).stdout);
    if (names.length > 0)
      await host.run(sh`${SYSTEM} delete secrets --ignore-not-found ${names}`, { signal: io.signal });
  },
  // A token is made when a node needs one.
  revert: () => sh`:`,
  owns: () => [],
  example: {},
});

function oursIn(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', description = ''] = line.split(' ');
    return NAME.test(name) && OURS.test(Buffer.from(description, 'base64').toString()) ? [name] : [];
  });
}
