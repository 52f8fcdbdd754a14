/** Where Kubernetes without kubeadm has its files: the places that kubeadm and tools know, and one for kubeconfigs. */
export const BINARY = {
  bin: '/usr/local/bin',
  directory: '/etc/kubernetes',
  pki: '/etc/kubernetes/pki',
  kubeconfigs: '/etc/kubernetes/kubeconfigs',
  schedulerConfig: '/etc/kubernetes/kube-scheduler.yaml',
  proxyConfig: '/etc/kubernetes/kube-proxy.yaml',
  kubeletConfig: '/etc/kubernetes/kubelet.yaml',
  units: '/etc/systemd/system',
} as const;

/** The programs that run as services, by their units. */
export type Program = 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kubelet' | 'kube-proxy';

/** Those whose kubeconfigs are on hosts. */
export type KubeconfigUser = 'admin' | 'super-admin' | 'controller-manager' | 'scheduler' | 'kubelet' | 'kube-proxy';

/** A file of the certificates on a host. */
export const pkiFile = (name: string): string => `${BINARY.pki}/${name}`;

/** The kubeconfig of a user on a host. */
export const kubeconfigOf = (user: KubeconfigUser): string => `${BINARY.kubeconfigs}/${user}.kubeconfig`;

export const unitFile = (program: Program): string => `${BINARY.units}/${program}.service`;

/** `https://192.0.2.1:6443` */
export const serverAt = (address: string, port: number): string =>
  `https://${address.includes(':') ? `[${address}]` : address}:${port}`;
