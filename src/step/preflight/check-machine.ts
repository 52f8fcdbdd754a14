import { isContainer, SUPPORTED_SYSTEMS, systemSupport } from '../../host/os/supported.ts';
import { ARCHES } from '../../model/catalog/schema.ts';
import type { Facts } from '../../model/facts.ts';
import { kernelSince } from '../../model/kernel.ts';
import { traitsOf } from '../kubeadm/version.ts';
import type { Expected } from './expected.ts';
import { type Finding, finding } from './finding.ts';
import { LIMITS } from './limits.ts';

const GB = 1e9;
const BASE_COMMANDS = ['ip', 'modprobe', 'mount', 'sysctl', 'tar'];
const INSTALLED_COMMANDS = ['conntrack', 'ebtables', 'ipset', 'socat'];

/** What the facts of a machine say about it alone. Pure: the same facts always give the same findings. */
export function machineFindings(want: Expected, name: string, facts: Facts): readonly Finding[] {
  return [system, hardware, kernel, controlGroups, settings, clock, commands].flatMap((check) =>
    check(want, name, facts),
  );
}

type Check = (want: Expected, name: string, facts: Facts) => readonly Finding[];

const system: Check = (_want, name, facts) => {
  const support = systemSupport(facts.os);
  const params = { system: facts.os.name || facts.os.id || '?', supported: SUPPORTED_SYSTEMS };
  const known = ARCHES.some((arch) => arch === facts.arch);
  return [
    ...(facts.root ? [] : [finding('KX4501', 'error', name, {})]),
    ...(support === 'unsupported' ? [finding('KX4502', 'error', name, params)] : []),
    ...(support === 'unknown' ? [finding('KX4503', 'warning', name, { ...params, family: facts.os.family })] : []),
    ...(facts.init === 'systemd' ? [] : [finding('KX4504', 'error', name, {})]),
    ...(known ? [] : [finding('KX4505', 'error', name, { arch: facts.arch, supported: ARCHES.join(', ') })]),
  ];
};

const hardware: Check = ({ roles }, name, facts) => {
  // Nobody buys hardware for a lab.
  const severity = isContainer(facts) ? 'warning' : 'error';
  const role = roles.includes('master') ? 'master' : 'worker';
  const minimum = LIMITS.memoryGb[role];
  const enough = facts.memoryBytes >= minimum * GB * (1 - LIMITS.memoryTolerance);
  const memory = (facts.memoryBytes / GB).toFixed(1);
  return [
    ...(facts.cpus >= LIMITS.cpus
      ? []
      : [finding('KX4507', severity, name, { cpus: facts.cpus, minimum: LIMITS.cpus })]),
    ...(enough ? [] : [finding('KX4508', severity, name, { memory, minimum, role: roles.join(', ') || role })]),
  ];
};

const kernel: Check = (want, name, facts) => {
  const old = (minimum: string, purpose: string) =>
    kernelSince(facts.kernel, minimum)
      ? []
      : [finding('KX4509', 'error' as const, name, { kernel: facts.kernel, minimum, purpose })];
  const nftables = want.proxyMode === 'nftables';
  const found = old(LIMITS.kernel, 'Kubernetes');
  return found.length > 0 || !nftables ? found : old(LIMITS.nftablesKernel, 'kube-proxy (nftables)');
};

const controlGroups: Check = (want, name, facts) => {
  const version = want.kubernetes;
  const v1 = facts.cgroup === 1 && traitsOf(version).refusesCgroupV1;
  return [
    ...(v1 ? [finding('KX4513', 'warning', name, { version })] : []),
    ...(facts.cgroup === 0 ? [finding('KX4514', 'error', name, {})] : []),
    ...(facts.capabilities.includes('sys_resource') ? [] : [finding('KX4515', 'info', name, {})]),
  ];
};

/** What kubexm changes by itself. */
const settings: Check = (_want, name, facts) => [
  ...(facts.selinux === 'enforcing' ? [finding('KX4518', 'warning', name, {})] : []),
  ...facts.firewall.map((firewall) => finding('KX4519', 'warning', name, { firewall })),
  ...(facts.swapBytes > 0 ? [finding('KX4520', 'warning', name, {})] : []),
  ...(facts.hostname === name ? [] : [finding('KX4521', 'warning', name, {}, facts.hostname)]),
];

const clock: Check = (want, name, facts) => {
  const seconds = Math.round(facts.timeOffsetMs / 1000);
  const differs = Math.abs(facts.timeOffsetMs) > LIMITS.clockSeconds * 1000;
  const severity = want.setsClock ? 'warning' : 'error';
  const note = `${seconds > 0 ? '+' : ''}${seconds} s`;
  return [
    ...(differs ? [finding('KX4528', severity, name, { limit: LIMITS.clockSeconds }, note)] : []),
    ...(facts.ntp === 'none' ? [finding('KX4529', 'warning', name, {})] : []),
  ];
};

const commands: Check = (_want, name, facts) => {
  const missing = (names: readonly string[]) => names.filter((command) => !facts.commands.includes(command)).join(', ');
  const [base, installed] = [missing(BASE_COMMANDS), missing(INSTALLED_COMMANDS)];
  return [
    ...(base === '' ? [] : [finding('KX4516', 'error', name, { commands: base })]),
    ...(installed === '' ? [] : [finding('KX4517', 'warning', name, { commands: installed })]),
  ];
};
