import { expect, test } from 'vitest';
import { launchScript } from './launch-script.ts';

const options = {
  machine: 't-1',
  dir: "/state/it's a lab/t-1",
  launcherGroup: '/sys/fs/cgroup/pids/kubexm-lab/t-a1b2c3/t-1.launcher',
  groups: ['/sys/fs/cgroup/cpu,cpuacct/kubexm-lab/t-a1b2c3/t-1', '/sys/fs/cgroup/pids/kubexm-lab/t-a1b2c3/t-1'],
  network: {
    address: '10.88.7.4',
    host: 'machine1',
    hostMac: '02:a1:b2:c3:01:01',
    peerMac: '02:a1:b2:c3:00:01',
  },
  gateway: '10.88.7.1',
  binds: [['/state/a:b/data', '/var/lib/etcd']] as const,
  readOnlyBinds: [['/state/modules', '/usr/lib/modules']] as const,
  devices: ['/dev/kmsg'],
};

test('paths are quoted for the shell, and colons for nspawn', () => {
  const script = launchScript(options);
  expect(script).toContain(String.raw`cd '/state/it'\''s a lab/t-1' || exit 1`);
  expect(script).toContain(String.raw`--bind=/state/a\:b/data:/var/lib/etcd`);
});

test('the machine is in every group before it starts, the launcher lets go of the lock after it is in its own', () => {
  const script = launchScript(options);
  for (const group of options.groups) expect(script).toContain(group);
  expect(script.indexOf('t-1.launcher/cgroup.procs')).toBeLessThan(script.indexOf('exec 3>&-'));
});

test('clock, modules and swap are the box’s', () => {
  const script = launchScript(options);
  expect(script).toContain('--drop-capability=CAP_SYS_TIME,CAP_SYS_MODULE');
  expect(script).toContain("'--system-call-filter=~swapon swapoff'");
});

test('IPv6 only where there is some', () => {
  expect(launchScript(options)).toContain('10.88.7.4/24 10.88.7.1 -');
  const network = { ...options.network, address6: 'fda1::4' };
  expect(launchScript({ ...options, network })).toContain('10.88.7.1 fda1::4/64');
});
