import { expect, test } from 'vitest';
import { Cgroups, mainHierarchy, memoryFile, parseHierarchies } from './cgroups.ts';

const V2 = '35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n';
const V1 = `1 0 0:1 / / rw - ext4 /dev/vda rw
30 24 0:26 / /sys/fs/cgroup ro - tmpfs tmpfs ro
31 30 0:27 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd
32 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
33 30 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
34 30 0:30 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids
35 30 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
36 30 0:30 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids
37 30 0:30 / /mnt/elsewhere rw - cgroup cgroup rw,pids
`;

test('version 2: one tree for everything', () => {
  const all = parseHierarchies(V2);
  expect(all).toEqual([{ version: 2, mount: '/sys/fs/cgroup', controllers: [] }]);
  expect(mainHierarchy(all)?.mount).toBe('/sys/fs/cgroup');
  expect(memoryFile(all)?.file).toBe('memory.max');
  const groups = new Cgroups('t-a1b2c3', all);
  expect(groups.paths('t-1')).toEqual(['/sys/fs/cgroup/kubexm-lab/t-a1b2c3/t-1']);
});

test('version 1: every tree once, and the empty one of version 2', () => {
  const all = parseHierarchies(V1);
  expect(all.map((one) => one.controllers.join())).toEqual(['name=systemd', 'cpu,cpuacct', 'memory', 'pids', '']);
  expect(mainHierarchy(all)?.mount).toBe('/sys/fs/cgroup/pids');
  expect(memoryFile(all)).toMatchObject({
    file: 'memory.limit_in_bytes',
    hierarchy: { mount: '/sys/fs/cgroup/memory' },
  });
  const groups = new Cgroups('t-a1b2c3', all);
  expect(groups.main('t-1')).toBe('/sys/fs/cgroup/pids/kubexm-lab/t-a1b2c3/t-1');
  expect(groups.paths('t-1')).toContain('/sys/fs/cgroup/unified/kubexm-lab/t-a1b2c3/t-1');
});

test('no control groups at all', () => {
  expect(mainHierarchy(parseHierarchies(''))).toBeUndefined();
  expect(memoryFile(parseHierarchies(V1.replaceAll('memory', 'blkio')))).toBeUndefined();
});
