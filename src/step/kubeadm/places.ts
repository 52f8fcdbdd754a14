import { KUBELET_DIR } from '../../model/cluster/places.ts';
import type { Effect } from '../../model/effect.ts';
import { lines, type Script, sh } from '../../model/script.ts';

/** Where things lie on a node that its configuration may put elsewhere. */
export interface NodePlaces {
  readonly criSocket: string;
  /** Of etcd, on a node that has a member of it. */
  readonly etcdDir?: string;
  /** Of the kubelet: volumes, plugins, pods. Its configuration is in the usual place all the same. */
  readonly kubeletDir: string;
  /** Manifests of static pods that kubeadm has not written: a node that tries to join again still needs them. */
  readonly staticPods?: readonly string[];
}

/** Files in which the kubelet keeps its state: those of all versions. With another configuration it does not start with them. */
const STATE_FILES = [
  'actuated_pods_state',
  'allocated_pods_state',
  'cpu_manager_state',
  'dra_health_state',
  'dra_manager_state',
  'graceful_node_shutdown_state',
  'memory_manager_state',
  'pod_status_manager_state',
];
/** Directories that the kubelet makes: those of all versions. Volumes are mounted in the first two. */
const MOUNTED_DIRECTORIES = ['pods', 'plugins'];
const DIRECTORIES = [
  ...MOUNTED_DIRECTORIES,
  'checkpoints',
  'device-plugins',
  'image_manager',
  'plugins_registry',
  'pod-resources',
  'pods-api',
];
/** What kubeadm and the kubelet put into the usual place, wherever the rest is. */
const CONFIGURATION = ['config.yaml', 'instance-config.yaml', 'kubeadm-flags.env', 'pki'];

/** Where a kubelet keeps its state. */
export function stateFiles({ kubeletDir }: Pick<NodePlaces, 'kubeletDir'>): readonly string[] {
  return [...new Set([KUBELET_DIR, kubeletDir])].flatMap((dir) => STATE_FILES.map((name) => `${dir}/${name}`));
}

/** What `resetNode` removes, without the static pods that kubeadm has not written. */
export function resetForAnotherTry(places: NodePlaces): Script {
  const { staticPods = [] } = places;
  const reset = sh`(
${{ script: resetNode(places) }}
  )`;
  if (staticPods.length === 0) return reset;
  return lines(
    sh`  kxn_pods=$(mktemp -d) && cp -p ${staticPods} "$kxn_pods"`,
    sh`  ${reset}`,
    sh`  mkdir -p ${MANIFESTS} && cp -p "$kxn_pods"/* ${MANIFESTS} && rm -r "$kxn_pods"`,
  );
}

/** Where kubeadm looks for a member of etcd that it has no other knowledge of. */
const USUAL_ETCD_DIR = '/var/lib/etcd';

/** Where the kubelet finds static pods. */
export const MANIFESTS = '/etc/kubernetes/manifests';

/** All that etcd makes in its directory. */
export function etcdMember(etcdDir: string): string {
  return `${etcdDir}/member`;
}

/**
 * What the kubelet and etcd make in their directories. The usual directory of the kubelet is its own. One that the user has chosen
 * may be anybody's: there, and in that of etcd, only what is known by its name belongs to the cluster.
 */
export function placesEffects({ etcdDir, kubeletDir }: NodePlaces): readonly Effect[] {
  const etcd: readonly Effect[] =
    etcdDir === undefined
      ? []
      : [
          { type: 'path', path: etcdMember(etcdDir) },
          { type: 'directory', path: etcdDir },
        ];
  const own: readonly Effect[] = [
    { type: 'mounts', below: KUBELET_DIR },
    { type: 'path', path: KUBELET_DIR },
  ];
  if (kubeletDir === KUBELET_DIR) return [...own, ...etcd];
  const at = (name: string) => `${kubeletDir}/${name}`;
  return [
    ...own,
    ...MOUNTED_DIRECTORIES.map((name) => ({ type: 'mounts', below: at(name) }) as const),
    ...[...DIRECTORIES, ...STATE_FILES].map((name) => ({ type: 'path', path: at(name) }) as const),
    { type: 'directory', path: kubeletDir },
    ...etcd,
  ];
}

/**
 * kubeadm puts back what it did, as far as it knows; here goes what would be in the way of a new beginning. Directories in which
 * something may be mounted, or that others may have had before, are left to the effects, which know.
 */
export function resetNode(places: NodePlaces): string {
  const { criSocket, etcdDir } = places;
  const configuration = CONFIGURATION.map((name) => `${KUBELET_DIR}/${name}`);
  return lines(
    // With several masters at once, neither the API nor etcd may answer any more, and kubeadm would wait for minutes.
    sh`if [ -n "$KX_WHOLE" ]; then rm -f /etc/kubernetes/admin.conf; fi`,
    skipping(etcdDir),
    sh`if command -v kubeadm >/dev/null; then
  kubeadm reset --force $kxn_skip --cri-socket ${`unix://${criSocket}`} >/dev/null 2>&1 || :
fi
systemctl stop kubelet 2>/dev/null || :
rm -rf /etc/kubernetes/manifests /etc/kubernetes/pki /etc/kubernetes/*.conf`,
    ...(etcdDir === undefined ? [] : [sh`rm -rf ${etcdMember(etcdDir)}`]),
    sh`rm -rf ${configuration}
rm -f ${stateFiles(places)}`,
  ).script;
}

/**
 * When kubeadm takes a member out of etcd, it deletes all that is in the directory of etcd, and in the usual one where it cannot ask
 * which it is. So it does that only on a master, and only where nothing else is in either of them.
 */
function skipping(etcdDir: string | undefined): Script {
  const skip = sh`kxn_skip=--skip-phases=remove-etcd-member`;
  if (etcdDir === undefined) return skip;
  const dirs = [...new Set([etcdDir, USUAL_ETCD_DIR])];
  return lines(
    skip,
    sh`if [ -e /etc/kubernetes/admin.conf ]; then
  if find -H ${dirs} -mindepth 1 -maxdepth 1 2>/dev/null | grep -qvxF ${etcdMember(etcdDir)}; then
    kx_report left ${`the member of this node stays registered in etcd: kubeadm would delete what others have in ${dirs.join(' or ')}. If the cluster goes on: etcdctl member remove`}
  else
    kxn_skip=
  fi
fi`,
  );
}
