/** What a step that succeeded means to the cluster. Plans declare marks; journals, events and manifests carry them. */
export type Mark =
  /** What is configured before it is in the cluster after it. */
  | 'cluster-begun'
  | 'node-joined'
  /** What made a node of the host was undone. */
  | 'node-removed'
  | 'kubeconfig-fetched'
  | 'nodes-ready'
  | 'control-plane-ready'
  | 'network-ready'
  | 'proxy-ready'
  | 'dns-ready'
  /** It changes nothing that lasts, even if it is interrupted. */
  | 'leaves-nothing';
