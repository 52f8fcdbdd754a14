import { componentsOf } from '../../component/index.ts';
import { binaryKubernetes } from '../../component/kubernetes.ts';
import { on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { placedSecrets, secretsDirectory, usualKubeconfig } from '../../step/binary/certificates.ts';
import { BINARY } from '../../step/binary/places.ts';
import {
  binaryDirectory,
  kubeletConfigFile,
  programUnit,
  proxyConfigFile,
  schedulerConfigFile,
} from '../../step/binary/services.ts';
import { kubeletEnabled } from '../../step/kubeadm/index.ts';
import { nodePlaces } from '../kubernetes/settings.ts';
import { targetMasters, targetNodes } from '../nodes.ts';
import { programFilesOf } from './files.ts';
import { secretsOf } from './pki.ts';

/** Everything that the programs read, on every node. Nothing is started yet. */
export const binaryServicesTask = defineTask({
  name: 'kubernetes/services',
  description: 'Units, configurations, certificates and kubeconfigs of the programs, on every node.',
  tags: ['kubernetes', 'services'],
  steps: [
    programUnit,
    kubeletEnabled,
    binaryDirectory,
    kubeletConfigFile,
    proxyConfigFile,
    schedulerConfigFile,
    secretsDirectory,
    placedSecrets,
    usualKubeconfig,
  ],
  isRequired: ({ cluster }) => binaryKubernetes.isUsed(cluster),
  plan: (context) => {
    const { cluster } = context;
    const [masters, nodes] = [targetMasters(context), targetNodes(context)];
    const files = programFilesOf(context);
    const effects = componentsOf(cluster).flatMap((component) => component.effects?.(cluster) ?? []);
    const secrets = secretsOf(context);
    const placed = (name: 'pki' | 'kubeconfigs') =>
      sequence(
        on(nodes, secretsDirectory({ path: BINARY[name] }), { name: `directory-${name}` }),
        on(nodes, (host) => placedSecrets({ directory: BINARY[name], files: secrets.of(host)[name] }), { name }),
      );
    return sequence(
      files.units,
      // Undone last: all that the kubelet and its pods have made goes when the rest has gone.
      on(nodes, (host) => kubeletEnabled({ places: nodePlaces(context, host), effects })),
      on(nodes, binaryDirectory({})),
      parallel(
        files.configs,
        placed('pki'),
        placed('kubeconfigs'),
        on(nodes, usualKubeconfig({ user: 'kubelet' }), { name: 'usual-kubelet' }),
        ...(['admin', 'super-admin'] as const).map((user) =>
          on(masters, usualKubeconfig({ user }), { name: `usual-${user}` }),
        ),
      ),
    );
  },
});
