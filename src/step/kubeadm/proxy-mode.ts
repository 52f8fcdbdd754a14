import type { Cluster } from '../../model/cluster/index.ts';
import type { ProxyMode } from '../../model/cluster/proxy-mode.ts';
import { kernelSince } from '../../model/kernel.ts';
import { LIMITS } from '../preflight/limits.ts';
import { traitsOf } from './version.ts';

/** By itself nftables, where every node's kernel is new enough for it and this Kubernetes calls it stable; else iptables. */
export function proxyModeOf({ spec }: Cluster, kernels: readonly string[]): ProxyMode {
  const { proxyMode, version } = spec.kubernetes;
  if (proxyMode !== 'auto') return proxyMode;
  const isNew = kernels.every((kernel) => kernelSince(kernel, LIMITS.nftablesKernel));
  return isNew && traitsOf(version).stableNftables ? 'nftables' : 'iptables';
}
