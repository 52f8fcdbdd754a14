/**
 * State steps over the system itself: no directory of a test's own can stand for it. They meet the same contract on hosts of
 * the rig, with stand-ins for what hosts share with the machine below. By kind: the test that does it
 * and, behind a #, the words of it that do, where the step is not named there.
 */
export const testedOnHosts: Readonly<Record<string, string>> = {
  daemonReload: 'src/step/generic/service.systemd.test.ts',
  firewall: 'src/step/generic/firewall.rig.test.ts',
  group: 'src/step/generic/user.host.test.ts',
  hostname: 'src/step/generic/hostname.rig.test.ts',
  image: 'test/lab/cluster.test.ts#images rm',
  kernelModule: 'src/step/generic/kernel-module.rig.test.ts',
  kubeObjects: 'test/lab/cluster.test.ts#patch configmap',
  packageHold: 'src/step/generic/package-hold.host.test.ts',
  packages: 'src/step/generic/packages.systemd.test.ts',
  packagesUndoneHere: 'src/step/generic/packages.systemd.test.ts',
  resolver: 'src/step/generic/firewall.rig.test.ts',
  restartWhenUndone: 'src/step/generic/service.systemd.test.ts',
  selinux: 'src/step/generic/kernel-module.rig.test.ts',
  service: 'src/step/generic/service.systemd.test.ts',
  swap: 'src/step/generic/kernel-module.rig.test.ts',
  sysctl: 'src/step/generic/hostname.rig.test.ts',
  timezone: 'src/step/generic/hostname.rig.test.ts',
  user: 'src/step/generic/user.host.test.ts',
};
