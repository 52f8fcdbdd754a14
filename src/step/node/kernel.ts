import { PROXY_MODULES } from '../../component/kubernetes.ts';
import type { Cluster } from '../../model/cluster/index.ts';
import { kernelSince } from '../../model/kernel.ts';
import type { KernelModules, Sysctl } from '../generic/index.ts';

type Spec = Pick<Cluster['spec'], 'hosts' | 'kubernetes' | 'network'>;

interface Setting {
  readonly key: string;
  readonly value: number;
  readonly why: string;
  /** Not in every kernel or network namespace. */
  readonly optional?: true;
}

/** From so many machines on the table of neighbours, which the kernel keeps for 1024, is too small. */
const MANY_HOSTS = 250;
/** Since this kernel the limit of watches follows from the memory. */
const WATCHES_BY_MEMORY = '5.11';

/** The modules that the cluster needs. What is built into the kernel counts as loaded. */
export function neededModules({ kubernetes }: Spec): KernelModules {
  return {
    // Layers of images; packets on bridges pass the rules of kube-proxy.
    modules: ['overlay', 'br_netfilter', ...(kubernetes.proxyMode === 'ipvs' ? PROXY_MODULES.ipvs : [])],
    optional: ['nf_conntrack'],
  };
}

/** Without these no packet reaches a pod: another file that says otherwise is an error. */
export function forwarding({ network }: Spec): Sysctl {
  const all: readonly Setting[] = [
    { key: 'net.ipv4.ip_forward', value: 1, why: 'the machine routes to and from pods' },
    ...(network.kubePodsCIDR.ipv6 === undefined
      ? []
      : [{ key: 'net.ipv6.conf.all.forwarding', value: 1, why: 'the same for IPv6' }]),
    { key: 'net.bridge.bridge-nf-call-iptables', value: 1, why: 'services work between pods of one machine' },
    { key: 'net.bridge.bridge-nf-call-ip6tables', value: 1, why: 'the same for IPv6' },
  ];
  return want('99-kubexm-cri.conf', all);
}

/** What the kubelet wants, and what many containers on one machine need. Who sets them otherwise in another file has a reason: that one wins when the machine starts. */
export function defaults({ hosts }: Spec, kernel: string): Sysctl {
  const all: readonly Setting[] = [
    { key: 'vm.overcommit_memory', value: 1, why: 'kubelet: memory is promised by limits, not by what is free' },
    { key: 'vm.panic_on_oom', value: 0, why: 'kubelet: out of memory ends a container, not the machine' },
    { key: 'kernel.panic', value: 10, why: 'kubelet: a machine that panicked comes back' },
    { key: 'kernel.panic_on_oops', value: 1, why: 'kubelet: a kernel that is not sound any more stops' },
    {
      key: 'kernel.keys.root_maxkeys',
      value: 1_000_000,
      why: 'kubelet: every container has a keyring',
      optional: true,
    },
    { key: 'kernel.keys.root_maxbytes', value: 25_000_000, why: 'kubelet: 25 bytes for each of them', optional: true },
    { key: 'fs.inotify.max_user_instances', value: 8192, why: '128 are used up by a few dozen containers' },
    ...(kernelSince(kernel, WATCHES_BY_MEMORY)
      ? []
      : [{ key: 'fs.inotify.max_user_watches', value: 524_288, why: 'older kernels allow 8192' }]),
    ...(hosts.length < MANY_HOSTS ? [] : neighbours()),
  ];
  return { ...want('99-kubexm-node.conf', all), mayBeOverridden: true };
}

/** Every machine is a neighbour of every other one on the pod network. Only the first network namespace has these. */
function neighbours(): readonly Setting[] {
  const why = 'a table that overflows drops packets';
  return [80_000, 90_000, 100_000].flatMap((value, i) =>
    ['ipv4', 'ipv6'].map((family) => ({
      key: `net.${family}.neigh.default.gc_thresh${i + 1}`,
      value,
      why,
      optional: true as const,
    })),
  );
}

function want(file: string, all: readonly Setting[]): Sysctl {
  const optional = all.filter((one) => one.optional === true).map((one) => one.key);
  return {
    file,
    values: Object.fromEntries(all.map(({ key, value }) => [key, value])),
    ...(optional.length > 0 && { optional }),
  };
}
