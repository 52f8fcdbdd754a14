import { isContainer } from '../../host/os/supported.ts';
import type { Facts, MountFact } from '../../model/facts.ts';
import type { Expected } from './expected.ts';
import { type Finding, finding } from './finding.ts';
import { LIMITS } from './limits.ts';

const GB = 1e9;

/** Whether the disks of a host have the room that the kubelet asks for, and that images and etcd take. */
export function diskFindings(want: Expected, name: string, facts: Facts): readonly Finding[] {
  return [...shares(want, name, facts), ...amounts(want, name, facts)];
}

/** The kubelet's limits are shares of a file system. Each stands for itself: two of them ask for no more than the greater. */
function shares({ places, freePercent }: Expected, name: string, facts: Facts): readonly Finding[] {
  // A container shows the disk of the machine it is in.
  const severity = isContainer(facts) ? 'warning' : 'error';
  const low = (path: string | undefined, minimum: number) => {
    const mount = path === undefined ? undefined : mountOf(facts.mounts, path);
    const percent = mount ? (mount.freeBytes / mount.bytes) * 100 : 100;
    if (path === undefined || !mount || percent >= minimum) return [];
    const note = `${(mount.freeBytes / GB).toFixed(1)} / ${Math.round(mount.bytes / GB)} GB`;
    return [finding('KX4545', severity, name, { path, minimum }, note)];
  };
  return [...low(places.kubeletDir, freePercent.node), ...low(places.imageDir, freePercent.images)];
}

/** Bytes are used only once: what lies on the same file system is added up. */
function amounts({ places }: Expected, name: string, facts: Facts): readonly Finding[] {
  const { imageDiskGb: images, etcdDiskGb: etcd } = LIMITS;
  const needs = [
    { path: places.imageDir, gb: images },
    { path: places.etcdDir, gb: etcd },
  ].flatMap(({ path, gb }) => {
    const mount = path === undefined ? undefined : mountOf(facts.mounts, path);
    return path === undefined || mount === undefined ? [] : [{ path, gb, mount }];
  });
  return [...Map.groupBy(needs, ({ mount }) => mount)].flatMap(([mount, some]) => {
    const minimum = some.reduce((sum, { gb }) => sum + gb, 0);
    if (mount.freeBytes >= minimum * GB) return [];
    const path = some.map((one) => one.path).join(', ');
    const note = `${(mount.freeBytes / GB).toFixed(1)} GB`;
    return [finding('KX4546', 'error', name, { path, minimum, images, etcd }, note)];
  });
}

/** The file system that a path is on, or will be on. */
function mountOf(mounts: readonly MountFact[], path: string): MountFact | undefined {
  const holds = (mount: string) => mount === '/' || path === mount || path.startsWith(`${mount}/`);
  return mounts.filter((mount) => holds(mount.path)).toSorted((a, b) => b.path.length - a.path.length)[0];
}
