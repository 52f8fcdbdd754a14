import { isContainer } from '../../host/os/supported.ts';
import type { Facts, MountFact } from '../../model/facts.ts';
import type { Expected } from './expected.ts';
import { type Finding, finding } from './finding.ts';
import { LIMITS } from './limits.ts';

const GB = 1e9;

/** Whether the disks of a node have the room that the kubelet asks for, and that images take. */
export function diskFindings(want: Expected, name: string, facts: Facts): readonly Finding[] {
  const { roles, imageDir, freePercent } = want;
  if (!roles.includes('master') && !roles.includes('worker')) return [];
  // A container shows the disk of the machine it is in.
  const severity = isContainer(facts) ? 'warning' : 'error';
  const low = (path: string, minimum: number) => {
    const mount = mountOf(facts.mounts, path);
    const percent = mount ? (mount.freeBytes / mount.bytes) * 100 : 100;
    if (!mount || percent >= minimum) return [];
    const note = `${Math.floor(percent)} % of ${Math.round(mount.bytes / GB)} GB`;
    return [finding('KX4545', severity, name, { path, minimum }, note)];
  };
  const room = mountOf(facts.mounts, imageDir);
  const small = room !== undefined && room.freeBytes < LIMITS.imageDiskGb * GB;
  return [
    ...low('/var/lib/kubelet', freePercent.node),
    ...low(imageDir, freePercent.images),
    ...(small ? [finding('KX4546', 'error', name, { path: imageDir, minimum: LIMITS.imageDiskGb })] : []),
  ];
}

/** The file system that a path is on, or will be on. */
function mountOf(mounts: readonly MountFact[], path: string): MountFact | undefined {
  const holds = (mount: string) => mount === '/' || path === mount || path.startsWith(`${mount}/`);
  return mounts.filter((mount) => holds(mount.path)).toSorted((a, b) => b.path.length - a.path.length)[0];
}
