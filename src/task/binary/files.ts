import { runtimeOf } from '../../component/index.ts';
import type { Json } from '../../model/json.ts';
import { on, parallel, type StepFragment } from '../../plan/combinators.ts';
import type { PlanContext, PlanHost } from '../../plan/layers.ts';
import type { ExecutionFragment } from '../../plan/node.ts';
import type { Ref } from '../../plan/ref.ts';
import type { Program } from '../../step/binary/places.ts';
import { kubeletConfigFile, programUnit, proxyConfigFile, schedulerConfigFile } from '../../step/binary/services.ts';
import { programDigest } from '../artifacts/programs.ts';
import { etcdClientDigests } from '../etcd/clients.ts';
import { apiServerDigests } from '../kubernetes/api-server.ts';
import { commonSettings, nodeSettings } from '../kubernetes/settings.ts';
import { targetMasters, targetNodes } from '../nodes.ts';
import { DNS_ADDRESS, digestsOf, secretsOf, serviceAddresses } from './pki.ts';

/** What systemd-resolved gives to pods: its own address is only for the host. */
const RESOLVED = '/run/systemd/resolve/resolv.conf';

/** The units and configurations of the programs. */
export interface ProgramFiles {
  readonly units: ExecutionFragment;
  /** That of the kubelet alone. */
  readonly kubeletUnit: ExecutionFragment;
  readonly configs: ExecutionFragment;
  /** What a program on a host must have been started with. */
  readonly fingerprint: (program: Program, host: PlanHost) => readonly Ref<Json>[];
}

/** They are the same for all tasks. */
export function programFilesOf(context: PlanContext): ProgramFiles {
  return context.once(programFilesOf, () => makeFiles(context));
}

/** What programs read of a host's secrets. */
const SECRETS: Readonly<Record<Program, { readonly pki: readonly string[]; readonly kubeconfigs: readonly string[] }>> =
  {
    'kube-apiserver': {
      pki: [
        ...['ca.crt', 'front-proxy-ca.crt', 'sa.key', 'sa.pub', 'apiserver.crt', 'apiserver.key'],
        ...['apiserver-kubelet-client.crt', 'apiserver-kubelet-client.key'],
        ...['front-proxy-client.crt', 'front-proxy-client.key'],
      ],
      kubeconfigs: [],
    },
    'kube-controller-manager': {
      pki: ['ca.crt', 'ca.key', 'front-proxy-ca.crt', 'sa.key'],
      kubeconfigs: ['controller-manager.kubeconfig'],
    },
    'kube-scheduler': { pki: [], kubeconfigs: ['scheduler.kubeconfig'] },
    kubelet: { pki: ['ca.crt', 'kubelet.crt', 'kubelet.key'], kubeconfigs: ['kubelet.kubeconfig'] },
    'kube-proxy': { pki: [], kubeconfigs: ['kube-proxy.kubeconfig'] },
  };

function makeFiles(context: PlanContext): ProgramFiles {
  const [masters, nodes] = [targetMasters(context), targetNodes(context)];
  const cluster = commonSettings(context);
  const unit = (hosts: readonly PlanHost[], program: Program, after: readonly string[]) =>
    on(hosts, (host) => programUnit({ program, cluster, node: nodeSettings(context, host), after }), {
      name: `unit-${program}`,
    });
  const units: Readonly<Record<Program, StepFragment<Json>>> = {
    'kube-apiserver': unit(masters, 'kube-apiserver', ['etcd.service']),
    'kube-controller-manager': unit(masters, 'kube-controller-manager', ['kube-apiserver.service']),
    'kube-scheduler': unit(masters, 'kube-scheduler', ['kube-apiserver.service']),
    kubelet: unit(nodes, 'kubelet', [runtimeOf(context.cluster).unit]),
    'kube-proxy': unit(nodes, 'kube-proxy', []),
  };
  const [clusterDns = ''] = serviceAddresses(context.cluster, DNS_ADDRESS);
  const configs: Readonly<Partial<Record<Program, StepFragment<Json>>>> = {
    'kube-scheduler': on(masters, schedulerConfigFile({})),
    kubelet: on(nodes, (host) =>
      kubeletConfigFile({
        cluster,
        node: nodeSettings(context, host),
        clusterDns,
        ...(host.facts.resolver === 'systemd-resolved' ? { resolvConf: RESOLVED } : {}),
      }),
    ),
    'kube-proxy': on(nodes, proxyConfigFile(cluster)),
  };
  const secrets = secretsOf(context);
  return {
    units: parallel(...Object.values(units)),
    kubeletUnit: units.kubelet,
    configs: parallel(...Object.values(configs)),
    fingerprint: (program, host) => {
      const own = secrets.of(host);
      const config = configs[program];
      return [
        units[program].ref(),
        ...(config === undefined ? [] : [config.ref()]),
        programDigest(context, 'kubernetes', program, host),
        ...digestsOf(own.pki, ...SECRETS[program].pki),
        ...digestsOf(own.kubeconfigs, ...SECRETS[program].kubeconfigs),
        ...(program === 'kube-apiserver' ? [...etcdClientDigests(context), ...apiServerDigests(context)] : []),
      ];
    },
  };
}
