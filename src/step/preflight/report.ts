import { type KubexmError, kubexmError } from '../../model/errors/index.ts';
import type { FindingGroup } from '../../model/report.ts';
import { defineStep } from '../../plan/step.ts';
import type { CommandResult } from '../generic/index.ts';
import { duplicates, identityFindings } from './check-network.ts';
import type { ExpectedHost } from './expected.ts';
import type { Judged } from './facts.ts';
import { type Finding, finding, groupFindings } from './finding.ts';
import type { Looked } from './look.ts';
import { reachFindings } from './reach.ts';
import { syncFindings } from './sync.ts';

type OfHosts<T> = { readonly [host: string]: T };

/** All that was found out, by the facts and on the hosts. */
export interface Report {
  readonly hosts: readonly ExpectedHost[];
  readonly judged: OfHosts<Judged>;
  readonly looked: OfHosts<Looked>;
  /** Why other hosts could not be looked at. */
  readonly unreachable?: OfHosts<Pick<Finding, 'code' | 'params'>>;
  /** How fast the disks of etcd's hosts are. */
  readonly disks?: { readonly path: string; readonly measured: OfHosts<CommandResult> };
  /** Who listened, and who reached whom. */
  readonly ports?: { readonly listened: OfHosts<CommandResult>; readonly reached: OfHosts<CommandResult> };
}

/** Everything that was found, in one list. */
export function allFindings(report: Report): readonly Finding[] {
  const { hosts, judged, looked, unreachable = {}, disks, ports } = report;
  const machines = Object.values(judged);
  const uuids = machines
    .filter(({ container }) => !container)
    .map(({ name }) => ({ name, uuid: looked[name]?.uuid ?? '' }));
  const firewalled = machines.filter((machine) => machine.firewalled).map(({ name }) => name);
  return [
    ...Object.entries(unreachable).map(([host, why]) => ({ ...why, severity: 'error' as const, hosts: [host] })),
    ...machines.flatMap(({ name, findings }) => (looked[name]?.isOurs ? findings.filter(isNews) : findings)),
    ...identityFindings(hosts, machines),
    ...lookedFindings(looked),
    ...duplicates(uuids, ({ uuid }) => uuid).map(([id, names]) => finding('KX4527', 'warning', names, { id })),
    ...(disks ? syncFindings(disks.measured, disks.path) : []),
    ...(ports ? reachFindings(ports.listened, ports.reached, firewalled) : []),
  ];
}

/** Once a host belongs to the cluster, it may be the one that has the virtual IP. */
function lookedFindings(looked: Report['looked']): readonly Finding[] {
  const begun = Object.values(looked).some(({ isOurs }) => isOurs);
  return Object.entries(looked).flatMap(([host, { findings }]) =>
    findings.filter(({ code }) => !begun || code !== 'KX4548').map((one) => ({ ...one, hosts: [host] })),
  );
}

/** Room for what a cluster has stored on its hosts is not asked for a second time, and routes to its pods are its own. */
function isNews({ code, params }: Finding): boolean {
  return code !== 'KX4546' && !(code === 'KX4543' && params['field'] === 'kubePodsCIDR');
}

/** What ends the run, if any finding is an error. */
function errorOf(findings: readonly FindingGroup[]): KubexmError | undefined {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return errors > 0 ? kubexmError('KX4500', { errors }) : undefined;
}

/** Reports everything that was found at once. An error in it ends the run before anything was changed. */
export const report = defineStep<Report>()({
  kind: 'preflightReport',
  description: 'Reports all findings of all hosts at once; ends the run if one is an error.',
  title: () => 'table of findings',
  nature: 'action',
  guard: 'checks',
  predict: (_host, want, io) => {
    const findings = groupFindings(allFindings(want));
    io.report({ type: 'preflight', hosts: want.hosts.length, isPart: true, findings });
    const error = errorOf(findings);
    if (error) io.wouldFail(error);
    return undefined;
  },
  apply: async (_host, want, io): Promise<void> => {
    const findings = groupFindings(allFindings(want));
    const hosts = want.hosts.length + Object.keys(want.unreachable ?? {}).length;
    io.report({ type: 'preflight', hosts, isPart: false, findings });
    const error = errorOf(findings);
    if (error) throw error;
  },
  example: { hosts: [], judged: {}, looked: {} },
});
