import { isContainer } from '../../host/os/supported.ts';
import type { Cluster } from '../../model/cluster/index.ts';
import type { MountFact } from '../../model/facts.ts';
import type { PlanHost } from '../../plan/layers.ts';
import { type Finding, finding } from './finding.ts';
import { LIMITS } from './limits.ts';

const GB = 1e9;
const IMAGE_DIRS = {
  containerd: '/var/lib/containerd',
  docker: '/var/lib/docker',
  'cri-o': '/var/lib/containers',
  isulad: '/var/lib/isulad',
} as const;

/** Whether the disks of a node have the room that the kubelet asks for, and that images take. */
export function diskFindings(cluster: Cluster, { name, roles, facts }: PlanHost): readonly Finding[] {
  if (!roles.includes('master') && !roles.includes('worker')) return [];
  const images = IMAGE_DIRS[cluster.spec.kubernetes.containerRuntime.type];
  // A container shows the disk of the machine it is in.
  const severity = isContainer(facts) ? 'warning' : 'error';
  const low = (path: string, minimum: number) => {
    const mount = mountOf(facts.mounts, path);
    const percent = mount ? (mount.freeBytes / mount.bytes) * 100 : 100;
    if (!mount || percent >= minimum) return [];
    const note = `${Math.floor(percent)} % of ${Math.round(mount.bytes / GB)} GB`;
    return [finding('KX4545', severity, name, { path, minimum }, note)];
  };
  const limits = thresholds(cluster);
  const room = mountOf(facts.mounts, images);
  const small = room !== undefined && room.freeBytes < LIMITS.imageDiskGb * GB;
  return [
    ...low('/var/lib/kubelet', limits.node),
    ...low(images, limits.images),
    ...(small ? [finding('KX4546', 'error', name, { path: images, minimum: LIMITS.imageDiskGb })] : []),
  ];
}

/** The kubelet's thresholds in percent. Where some are configured it has no others; one in bytes is not judged here. */
function thresholds(cluster: Cluster): { readonly node: number; readonly images: number } {
  const { evictionHard } = cluster.spec.kubernetes.kubeletConfiguration as { readonly evictionHard?: unknown };
  if (typeof evictionHard !== 'object' || evictionHard === null)
    return { node: LIMITS.nodeDiskPercent, images: LIMITS.imageDiskPercent };
  const percent = (signal: string) => {
    const text = String((evictionHard as Readonly<Record<string, unknown>>)[signal] ?? '');
    return text.endsWith('%') ? Number.parseFloat(text) : 0;
  };
  return { node: percent('nodefs.available'), images: percent('imagefs.available') };
}

/** The file system that a path is on, or will be on. */
function mountOf(mounts: readonly MountFact[], path: string): MountFact | undefined {
  const holds = (mount: string) => mount === '/' || path === mount || path.startsWith(`${mount}/`);
  return mounts.filter((mount) => holds(mount.path)).toSorted((a, b) => b.path.length - a.path.length)[0];
}
