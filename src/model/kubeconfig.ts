/** The name of a cluster's kubeconfig in its work directory. */
export const KUBECONFIG = 'kubeconfig';
