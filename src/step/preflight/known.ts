import { isContainer } from '../../host/os/supported.ts';
import type { PlanContext, PlanHost } from '../../plan/layers.ts';
import { diskFindings } from './check-disk.ts';
import { machineFindings } from './check-machine.ts';
import { clashFindings, identityFindings } from './check-network.ts';
import { type Finding, joinFindings } from './finding.ts';

/** Everything that the facts say, before any host is asked anything more. */
export function knownFindings({ cluster, hosts }: Pick<PlanContext, 'cluster' | 'hosts'>): readonly Finding[] {
  return joinFindings([
    ...hosts.flatMap((host) => [machineFindings, diskFindings, clashFindings].flatMap((check) => check(cluster, host))),
    ...identityFindings(cluster, hosts),
  ]);
}

/** Hosts whose firewall is on for now: what it holds back will come through later. */
export function firewalledOf(hosts: readonly PlanHost[]): readonly string[] {
  return hosts.filter(({ facts }) => facts.firewall.length > 0).map(({ name }) => name);
}

/** Hosts that are containers. */
export function containersOf(hosts: readonly PlanHost[]): readonly string[] {
  return hosts.filter(({ facts }) => isContainer(facts)).map(({ name }) => name);
}
