import { type MorePackages, nodePackages, volumePackages } from '../../host/os/node-packages.ts';
import { timeService } from '../../host/os/time-service.ts';
import type { Cluster } from '../../model/cluster/index.ts';
import type { Effect } from '../../model/effect.ts';
import type { Facts } from '../../model/facts.ts';
import { dedicated } from '../../plan/step.ts';
import {
  firewall,
  hostname,
  kernelModule,
  managedBlock,
  packages,
  packagesUndoneHere,
  resolver,
  restartWhenUndone,
  selinux,
  service,
  swap,
  sysctl,
  timezone,
} from '../generic/index.ts';
import { hostsLines } from './hosts-file.ts';
import { defaults, forwarding, neededModules } from './kernel.ts';

export { timeLinesFor } from './time-servers.ts';

type Spec = Cluster['spec'];
type System = Pick<Facts, 'os' | 'packageManager'>;

/** Labels are kept up, so that SELinux can enforce again once the cluster is gone. */
export const selinuxPermissive = dedicated(
  'selinux',
  selinux,
  'SELinux only writes down what it would refuse.',
  (_: object) => selinux({ mode: 'permissive' }),
);

/** The kubelet refuses to start with swap. */
export const swapOff = dedicated('swap', swap, 'No swap, now and at every start.', (_: object) =>
  swap({ state: 'off' }),
);

/** Rules of firewalld and ufw know nothing of pods and services. */
export const firewallOff = dedicated('firewall', firewall, 'Neither firewalld nor ufw.', (_: object) =>
  firewall({ state: 'disabled' }),
);

/** The machine is called as its node. */
export const ownName = dedicated(
  'hostname',
  hostname,
  'The name of the host in the configuration.',
  (host: { readonly name: string }) => hostname({ name: host.name }),
);

/** All machines know each other without DNS. */
export const sharedNames = dedicated(
  'hosts',
  managedBlock,
  'All hosts, the control plane, the registry and extra.hosts in /etc/hosts.',
  ({ spec, name }: { readonly spec: Spec; readonly name: string }) =>
    managedBlock({ path: '/etc/hosts', content: hostsLines(spec, name) }),
);

/** Those that are there stay, behind these. */
export const nameServers = dedicated(
  'name-servers',
  resolver,
  'The DNS servers of extra.resolves before those of the machine.',
  (spec: Spec) => resolver({ nameservers: spec.extra.resolves.map(({ address }) => address), keepOthers: true }),
);

/** All in one transaction. */
export const prerequisites = dedicated(
  'packages',
  packages,
  'What Kubernetes calls on the host, and the packages of system.debs or system.rpms.',
  (params: { readonly system: System; readonly more: MorePackages; readonly effects: readonly Effect[] }) =>
    packages({
      install: nodePackages(params.system, params.more),
      ...(params.effects.length === 0 ? {} : { effects: params.effects }),
    }),
);

/** Pods that are killed may still hold volumes: what mounted them goes after the cluster, though it comes beside it. */
export const volumesExpected = dedicated(
  'expected',
  packagesUndoneHere,
  'When all is undone, what mounts volumes goes after the cluster.',
  (system: System) => packagesUndoneHere({ install: volumePackages(system) }),
);

/** In a transaction of their own, so that nothing else has to wait for them. */
export const volumeClients = dedicated(
  'clients',
  packages,
  'What mounts volumes over NFS and iSCSI.',
  (system: System) => packages({ install: volumePackages(system) }),
);

/** Stands before what changes the configuration of a chrony that may have been there before. */
export const noteTimeService = dedicated(
  'note',
  restartWhenUndone,
  'Lets a chrony that ran before start again with its own configuration.',
  (facts: Facts) => restartWhenUndone({ unit: timeService(facts).unit }),
);

/** In the main file: one that somebody has written need not include others. */
export const timeServers = dedicated(
  'servers',
  managedBlock,
  'The servers of system.ntpServers for chrony.',
  ({ facts, lines }: { readonly facts: Facts; readonly lines: string }) =>
    managedBlock({ path: timeService(facts).config, content: lines }),
);

/** Two programs that set one clock fight each other. */
export const otherTimeService = dedicated(
  'other-service',
  service,
  'No other program that sets the clock.',
  ({ unit }: { readonly unit: string }) => service({ unit, enabled: false, running: 'stopped' }),
);

/** Started with the servers that are in its configuration now. Without any, one that runs already is as wanted. */
export const ownTimeService = dedicated(
  'service',
  service,
  'chrony, now and at every start.',
  ({ facts, lines }: { readonly facts: Facts; readonly lines: string }) =>
    service({
      unit: timeService(facts).unit,
      enabled: true,
      running: 'started',
      // Its first process ends when the one that stays has read its configuration: systemd has waited for that.
      settleSeconds: 0,
      ...(lines !== '' && { fingerprint: lines }),
    }),
);

/** The units of a machine that set its clock and are not chrony. */
export function rivalsOf(facts: Facts): readonly string[] {
  return timeService(facts).rivals;
}

/** Logs of all machines have the same hours. */
export const timeZone = dedicated('timezone', timezone, 'The zone of system.timezone.', (params: { zone: string }) =>
  timezone({ zone: params.zone }),
);

/** Bridges have settings only once their module is loaded: this comes first. */
export const kernelModules = dedicated(
  'modules',
  kernelModule,
  'The kernel modules of container runtime and kube-proxy.',
  (spec: Spec) => kernelModule(neededModules(spec)),
);

/** Another file that sets one of these otherwise is a failure. */
export const forwardingSettings = dedicated(
  'forwarding',
  sysctl,
  'Kernel settings without which no packet reaches a pod.',
  (spec: Spec) => sysctl(forwarding(spec)),
);

/** Another file that sets one of these otherwise wins when the machine starts. */
export const defaultSettings = dedicated(
  'settings',
  sysctl,
  'Kernel settings that the kubelet and many containers on one machine want.',
  ({ spec, facts }: { readonly spec: Spec; readonly facts: Facts }) => sysctl(defaults(spec, facts.kernel)),
);
