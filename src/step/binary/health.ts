import { sh } from '../../model/script.ts';
import { KUBECTL } from '../generic/index.ts';
import { kubeconfigOf } from './places.ts';

/** The programs of a control plane of which one leads. */
export const LED = ['kube-controller-manager', 'kube-scheduler'];

const ADMIN = [...KUBECTL, '--kubeconfig', kubeconfigOf('admin'), '--request-timeout=5s'];
const LEASE = '{"kind":"Lease","name":"{{.metadata.name}}","renewed":"{{.spec.renewTime}}","now":"';

/**
 * What services of the control plane say, as lines of the table of health: every API server is asked itself; the others only
 * answer their own host, but who leads says so in the cluster.
 */
export function askServices(masters: readonly { readonly name: string; readonly server: string }[]): readonly string[] {
  const servers = masters.map(({ name, server }) => {
    const well = JSON.stringify({ kind: 'Pod', name: `kube-apiserver-${name}`, is: 'Ready' });
    return sh`{ ! ${ADMIN} --server ${server} get --raw /readyz >/dev/null 2>&1 || echo ${well}; }`;
  });
  const leases = LED.map(
    (name) =>
      sh`{ ${ADMIN} -n kube-system get lease ${name} -o ${`go-template=${LEASE}`} && date -u +%Y-%m-%dT%H:%M:%SZ'"}'; }`,
  );
  return [...servers, ...leases].map(({ script }) => script);
}
