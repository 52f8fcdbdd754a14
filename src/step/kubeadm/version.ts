import { inRange } from '../../model/catalog/range.ts';

/** What differs between versions of Kubernetes, each with the release that changed it. */
export interface Traits {
  /** v1beta4 came with 1.31; v1beta3 is gone in 1.37. */
  readonly kubeadmApi: 'v1beta3' | 'v1beta4';
  /** The kubelet knows `failCgroupV1` since 1.31 and refuses cgroup v1 without it since 1.35. */
  readonly knowsFailCgroupV1: boolean;
  /** kubeadm calls cgroup v1 an error since 1.35, and takes no word for it but that the check is left out. */
  readonly refusesCgroupV1: boolean;
  /** Its kubeadm writes IPv4 addresses as `[10.96.0.1]` when it looks for proxies; built with a newer Go, that is an error. */
  readonly failsProxyCheck: boolean;
  /** kube-proxy's nftables mode is stable since 1.33. */
  readonly stableNftables: boolean;
}

/** The traits of a version, with or without its `v`. */
export function traitsOf(version: string): Traits {
  const since = (from: string) => inRange(version, `>=${from}`);
  return {
    kubeadmApi: since('1.31') ? 'v1beta4' : 'v1beta3',
    knowsFailCgroupV1: since('1.31'),
    refusesCgroupV1: since('1.35'),
    failsProxyCheck: !inRange(version, '>=1.31.14 <1.32 || >=1.32.10 <1.33 || >=1.33.6 <1.34 || >=1.34.2'),
    stableNftables: since('1.33'),
  };
}
