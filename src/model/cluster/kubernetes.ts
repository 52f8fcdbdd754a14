import { z } from 'zod';
import { containerRuntimeSchema } from './container-runtime.ts';
import { alias, choice, free, int, line, list, refuse, section } from './field.ts';
import { anyNetwork, argument, certificateName, domain, kubeletArgument, kubernetesVersion } from './text.ts';

const switchedOn = (what: string) =>
  section({ enabled: z.boolean().default(false).describe(`Install ${what}.`) }).describe(`${what}.`);

/** The processes of one runtime and one small program. */
const MIN_PIDS = 64;

const pidsLimit = () =>
  int(-1, 4_194_304).check((payload) => {
    const { value } = payload;
    if (value >= 0 && value < MIN_PIDS) refuse(payload, 'KX2624', { value, min: MIN_PIDS });
  });

const proxyConfiguration = z
  .looseObject({
    ipvs: z
      .looseObject({
        excludeCIDRs: list(anyNetwork()).describe(
          'Networks whose addresses kube-proxy leaves alone; needed for kube-vip in ipvs mode.',
        ),
      })
      .optional()
      .describe('Fields of the ipvs mode.'),
  })
  .prefault({});

/** `spec.kubernetes`, all but required for its version. */
export const kubernetesSchema = z
  .strictObject({
    type: choice(['kubeadm', 'kubexm'])
      .default('kubeadm')
      .describe('Installed by kubeadm, or from binaries as systemd services by kubexm.'),
    version: kubernetesVersion().describe('Version of Kubernetes, such as v1.34.2.'),
    clusterName: alias(domain().default('cluster.local'), 'dnsDomain', 'clusterDomain').describe(
      'Domain of the services in the cluster.',
    ),
    containerRuntime: containerRuntimeSchema.prefault({}).describe('The container runtime.'),
    apiserverCertExtraSans: alias(list(certificateName()), 'apiserverCertExtraSANs').describe(
      'More addresses and names for the certificate of the API server; *.example.com is for all names of a domain.',
    ),
    autoRenewCerts: z.boolean().default(false).describe('Renew the certificates of the control plane by a timer.'),
    masqueradeAll: z
      .boolean()
      .default(false)
      .describe('kube-proxy translates the source of everything (iptables mode).'),
    maxPods: int(10, 10_000).default(110).describe('Pods per node.'),
    podPidsLimit: pidsLimit().default(10_000).describe('Processes per pod; -1 for no limit.'),
    nodeCidrMaskSize: int(1, 32).default(24).describe('Size of the part of the IPv4 pod network that each node gets.'),
    nodeCidrMaskSizeIPv6: int(1, 128)
      .optional()
      .describe('The same for IPv6. Default: 64 where it fits, else eight bits more than the pod network.'),
    proxyMode: choice(['auto', 'ipvs', 'iptables', 'nftables'])
      .default('auto')
      .describe('Mode of kube-proxy; auto takes what the kernel has.'),
    featureGates: z
      .record(z.string(), z.boolean())
      .default({})
      .describe('Feature gates of all components; only those that this version of Kubernetes knows.'),
    kubeletArgs: list(kubeletArgument()).describe('Arguments of the kubelet, such as --root-dir=/var/lib/kubelet.'),
    apiserverArgs: list(argument()).describe('Arguments of the API server.'),
    controllerManagerArgs: list(argument()).describe('Arguments of the controller manager.'),
    schedulerArgs: list(argument()).describe('Arguments of the scheduler.'),
    kubeProxyArgs: list(argument()).describe('Arguments of kube-proxy.'),
    kubeletConfiguration: free().describe('Fields of KubeletConfiguration.'),
    kubeProxyConfiguration: proxyConfiguration.describe('Fields of KubeProxyConfiguration.'),
    audit: section({
      enabled: z.boolean().default(false).describe('Write an audit log.'),
      policyFile: line()
        .optional()
        .describe('Audit policy on the machine kubexm runs on. Default: a policy of metadata.'),
    }).describe('The audit log of the API server.'),
    encryption: section({
      enabled: z.boolean().default(false).describe('Encrypt what API servers store in etcd.'),
      provider: choice(['secretbox', 'aescbc'])
        .default('secretbox')
        .describe('How: secretbox (XSalsa20 and Poly1305) or aescbc (AES-CBC). The key is made by kubexm.'),
      resources: z
        .array(line())
        .min(1)
        .default(['secrets'])
        .describe('What is encrypted: resources such as secrets, configmaps or events.events.k8s.io.'),
    }).describe('Encryption at rest.'),
    kata: switchedOn('Kata Containers'),
    nodeFeatureDiscovery: switchedOn('Node Feature Discovery'),
  })
  .describe('Kubernetes itself.');
