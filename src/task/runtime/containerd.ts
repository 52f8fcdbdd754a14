import { resourcesOf } from '../../artifacts/handles/index.ts';
import { containerd } from '../../component/containerd.ts';
import { placesOf } from '../../component/places.ts';
import { on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import { installPrograms } from '../../step/artifacts.ts';
import {
  CONTAINERD,
  containerdConfig,
  containerdRegistry,
  containerdService,
  containerdUnitFile,
  crictlConfig,
  noteContainerd,
  registryHosts,
  runtimeDirectory,
} from '../../step/containerd.ts';
import { programDigest, programNames, programs } from '../artifacts/programs.ts';
import { targetNodes } from '../nodes.ts';

const BIN = '/usr/local/bin';
const CNI_BIN = '/opt/cni/bin';

/** containerd with runc, the CNI plugins and its clients, on every node. */
export const containerdTask = defineTask({
  name: 'runtime/containerd',
  description: 'Install, configure and start containerd with runc and the CNI plugins.',
  tags: ['runtime', 'containerd'],
  steps: [
    noteContainerd,
    runtimeDirectory,
    installPrograms,
    containerdConfig,
    containerdRegistry,
    containerdUnitFile,
    crictlConfig,
    containerdService,
  ],
  isRequired: ({ cluster }) => containerd.isUsed(cluster),
  plan: (context) => {
    const nodes = targetNodes(context);
    const config = on(nodes, (host) => containerdConfig(settingsOf(context, host)));
    const unit = on(nodes, (host) => containerdUnitFile({ restrictOomScore: cannotLowerOom(host) }));
    const running = on(nodes, (host) =>
      containerdService({
        effects: containerd.runtimeEffects?.(context.cluster) ?? [],
        fingerprint: [config.ref(), unit.ref(), programDigest(context, 'containerd', 'containerd', host)],
      }),
    );
    return sequence(
      on(nodes, noteContainerd({})),
      parallel(
        sequence(
          directory(nodes, CNI_BIN),
          programs(context, nodes, 'cni-plugins', programNames(context, 'cni-plugins'), CNI_BIN),
        ),
        ...['containerd', 'runc', 'crictl'].map((component) =>
          programs(context, nodes, component, programNames(context, component), BIN),
        ),
        sequence(directory(nodes, '/etc/containerd'), config),
        ...registryHosts(context.cluster.spec.registry).map((one) =>
          sequence(
            directory(nodes, `${CONTAINERD.registries}/${one.host}`),
            on(nodes, containerdRegistry(one), { name: `registry-${one.host}` }),
          ),
        ),
        unit,
        on(nodes, crictlConfig({ socket: containerd.socket })),
      ),
      running,
    );
  },
});

function directory(nodes: readonly PlanHost[], path: string) {
  return on(nodes, runtimeDirectory({ path }), { name: `directory-${path.slice(1).replaceAll('/', '-')}` });
}

function settingsOf(context: PlanContext, host: PlanHost) {
  const resources = resourcesOf(context);
  return {
    version: resources.need('containerd')?.version ?? '2',
    dataDir: placesOf(context.cluster).imageDir,
    sandboxImage: resources.reference('pause'),
    restrictOomScore: cannotLowerOom(host),
  };
}

/** Without this capability the kernel lets no process be protected more than its parent is. */
function cannotLowerOom({ facts }: PlanHost): boolean {
  return !facts.capabilities.includes('sys_resource');
}
