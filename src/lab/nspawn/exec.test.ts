import { expect, test } from 'vitest';
import { groupPaths } from './exec.ts';

const V1 = [
  { version: 1, mount: '/sys/fs/cgroup/systemd', controllers: ['name=systemd'] },
  { version: 1, mount: '/sys/fs/cgroup/cpu,cpuacct', controllers: ['cpu', 'cpuacct'] },
  { version: 2, mount: '/sys/fs/cgroup/unified', controllers: [] },
] as const;

test.each([
  [
    V1,
    '9:name=systemd:/kubexm-lab/t/init.scope\n2:cpu,cpuacct:/kubexm-lab/t\n1:net_cls:/\n0::/kubexm-lab/t/init.scope\n',
    [
      '/sys/fs/cgroup/systemd/kubexm-lab/t/init.scope',
      '/sys/fs/cgroup/cpu,cpuacct/kubexm-lab/t',
      '/sys/fs/cgroup/unified/kubexm-lab/t/init.scope',
    ],
  ],
  [
    [{ version: 2, mount: '/sys/fs/cgroup', controllers: [] }] as const,
    '0::/kubexm-lab/t/payload/init.scope\n',
    ['/sys/fs/cgroup/kubexm-lab/t/payload/init.scope'],
  ],
])('a process is found in every tree', (hierarchies, text, paths) => {
  expect(groupPaths(hierarchies, text)).toEqual(paths);
});
