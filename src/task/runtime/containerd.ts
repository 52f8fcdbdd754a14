import type { Cluster } from '../../model/cluster/index.ts';
import { placesOf } from '../../model/cluster/places.ts';
import { on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext, type PlanHost } from '../../plan/layers.ts';
import { resourcesOf } from '../../resource/index.ts';
import { installPrograms } from '../../step/artifacts.ts';
import {
  CONTAINERD,
  containerdConfig,
  containerdRegistry,
  containerdService,
  containerdUnitFile,
  crictlConfig,
  noteContainerd,
  type RegistryHost,
  runtimeDirectory,
} from '../../step/containerd.ts';
import { programDigest, programNames, programs } from '../artifacts/programs.ts';
import { nodesOf } from '../nodes.ts';

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
  isRequired: ({ cluster }) => cluster.spec.kubernetes.containerRuntime.type === 'containerd',
  plan: (context) => {
    const nodes = nodesOf(context);
    const config = on(nodes, (host) => containerdConfig(settingsOf(context, host)));
    const unit = on(nodes, (host) => containerdUnitFile({ restrictOomScore: cannotLowerOom(host) }));
    const running = on(nodes, (host) =>
      containerdService({
        dataDir: placesOf(context.cluster).imageDir,
        fingerprint: [config.ref(), unit.ref(), programDigest(context, 'containerd', 'containerd', host)],
      }),
    );
    const fragment = sequence(
      on(nodes, noteContainerd({})),
      parallel(
        sequence(
          directory(nodes, CNI_BIN),
          programs(context, nodes, 'cni-plugins', programNames(context, 'cni-plugins'), CNI_BIN),
        ),
        ...['containerd', 'runc', 'crictl', 'nerdctl'].map((component) =>
          programs(context, nodes, component, programNames(context, component), BIN),
        ),
        sequence(directory(nodes, '/etc/containerd'), config),
        ...registriesOf(context.cluster).map((one) =>
          sequence(
            directory(nodes, `${CONTAINERD.registries}/${one.host}`),
            on(nodes, containerdRegistry(one), { name: `registry-${one.host}` }),
          ),
        ),
        unit,
        on(nodes, crictlConfig({ socket: CONTAINERD.socket })),
      ),
      running,
    );
    return { fragment, outputs: undefined };
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

/** Registries that are not reached in the usual way: mirrors of Docker Hub, plain HTTP, certificates that are not checked. */
function registriesOf({ spec: { registry } }: Cluster): readonly RegistryHost[] {
  const secure = (url: string) => ({ url: /^https?:/.test(url) ? url : `https://${url}`, skipVerify: false });
  const mirrors =
    registry.registryMirrors.length === 0
      ? []
      : [{ host: 'docker.io', endpoints: registry.registryMirrors.map(secure) }];
  const plain = Object.entries(registry.auths)
    .filter(([, auth]) => auth.plainHTTP)
    .map(([host]) => host);
  const unchecked = Object.entries(registry.auths)
    .filter(([, auth]) => auth.skipTLSVerify)
    .map(([host]) => host);
  const odd = [...new Set([...registry.insecureRegistries, ...plain, ...unchecked])];
  return [
    ...mirrors,
    ...odd.map((host) => ({
      host,
      endpoints: [
        ...(plain.includes(host) ? [] : [{ url: `https://${host}`, skipVerify: true }]),
        ...(unchecked.includes(host) && !plain.includes(host) ? [] : [{ url: `http://${host}`, skipVerify: false }]),
      ],
    })),
  ];
}
