/** What preflight asks for. The first three are the product's own; the rest is what the components say. */
export const LIMITS = {
  cpus: 2,
  memoryGb: { master: 4, worker: 2 },
  /** Of a machine's memory the kernel keeps a part for itself. */
  memoryTolerance: 0.05,
  kernel: '3.10',
  nftablesKernel: '5.13',
  clockSeconds: 5,
  /** The kubelet's own thresholds of free disk space, in percent. */
  nodeDiskPercent: 10,
  imageDiskPercent: 15,
  /** Programs and images of a node, unpacked. */
  imageDiskGb: 3,
  /**
   * What etcd's database may grow to before etcd itself says that it is full, which can be repaired. A disk that is full before
   * that ends etcd in the middle of a write.
   */
  etcdDiskGb: 2,
  /** What etcd's project advises for its write-ahead log. */
  fsyncMs: 10,
} as const;
