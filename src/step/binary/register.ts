import type { Script } from '../../model/script.ts';
import { lines, sh } from '../../model/script.ts';
import { dedicated } from '../../plan/step.ts';
import { KUBECTL, onceCommand } from '../generic/index.ts';
import { type NodePlaces, stateFiles } from '../kubeadm/places.ts';
import { kubeconfigOf } from './places.ts';

/** Longer than a runtime takes for one pod; one that hangs holds up nobody for ever. */
const POD_SECONDS = 60;

/**
 * The kubelet may register: no other machine is the node of this name. Undone, which comes when the kubelet has been stopped, it
 * removes the pods that the kubelet has started, and what it would not start with again.
 */
export const register = dedicated(
  'register',
  onceCommand,
  'Check that no other machine is the node of this name; undone, remove the pods of the node.',
  ({
    server,
    node,
    address,
    places,
  }: {
    /** An API server that serves: the way by which the kubelet will ask may not be there yet. */
    readonly server: string;
    readonly node: string;
    readonly address: string;
    readonly places: NodePlaces;
  }) =>
    onceCommand({
      name: 'node',
      purpose: `${node} may register`,
      run: nameIsFree(server, node, address).script,
      undo: removePods(places),
      // What a kubelet makes when it starts for the first time.
      traces: [`${places.kubeletDir}/cpu_manager_state`],
      timeoutSeconds: 600,
    }),
);

/** The kubelet's own certificate may read the node of its name, and no other one. */
function nameIsFree(server: string, node: string, address: string): Script {
  const get = sh`${KUBECTL} --kubeconfig ${kubeconfigOf('kubelet')} --server ${server} --request-timeout=10s get node ${node} --ignore-not-found`;
  return sh`code=1
for try in 1 2 3 4 5 6; do
  if said=$(${get} -o ${'jsonpath={.status.conditions[?(@.type=="Ready")].status} {.status.addresses[?(@.type=="InternalIP")].address} '}); then code=0; break; fi
  sleep 5
done
[ "$code" = 0 ] || exit
case "$said" in
True*) case "$said" in *${` ${address} `}*) ;; *) echo ${`another machine is the node ${node}, and is ready:`} "$said" >&2; exit 1 ;; esac ;;
esac`;
}

function removePods({ criSocket, kubeletDir }: NodePlaces): string {
  return lines(
    sh`systemctl stop kubelet kube-proxy 2>/dev/null || :
if command -v crictl >/dev/null; then
  for pod in $(crictl --runtime-endpoint ${`unix://${criSocket}`} --timeout 30s pods -q 2>/dev/null); do
    crictl --runtime-endpoint ${`unix://${criSocket}`} --timeout ${`${POD_SECONDS}s`} rmp -f "$pod" >/dev/null 2>&1 || :
  done
fi`,
    sh`rm -rf /var/lib/kubelet/pki
rm -f ${stateFiles({ kubeletDir })}`,
  ).script;
}
