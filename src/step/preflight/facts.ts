import { isContainer } from '../../host/os/supported.ts';
import type { Facts } from '../../model/facts.ts';
import { defineStep } from '../../plan/step.ts';
import { diskFindings } from './check-disk.ts';
import { machineFindings } from './check-machine.ts';
import { clashFindings, type Identity } from './check-network.ts';
import type { Expected } from './expected.ts';
import type { Finding } from './finding.ts';

/** What the facts of a machine say. */
export type Judged = Identity & {
  readonly findings: readonly Finding[];
  /** Its firewall is on for now: what it holds back will come through later. */
  readonly firewalled: boolean;
  /** It shows the ids of the machine it is in. */
  readonly container: boolean;
};

/** Judges the facts of one machine. Pure. */
export function judgeFacts(want: Expected, name: string, facts: Facts): Judged {
  const { hostname, machineId, arch, addresses, firewall } = facts;
  return {
    name,
    hostname,
    machineId,
    arch,
    addresses: addresses.map(({ address }) => address),
    firewalled: firewall.length > 0,
    container: isContainer(facts),
    findings: [machineFindings, diskFindings, clashFindings].flatMap((check) => check(want, name, facts)),
  };
}

/**
 * Judges what was read when the host was connected: it costs no round trip. Not when the plan is made: a run that is resumed is
 * planned by the facts it began with, and by then the user has fixed what was wrong.
 */
export const facts = defineStep<Expected>()({
  kind: 'preflightFacts',
  description: 'Judges the facts of a host by what the cluster asks of it.',
  title: () => 'judge the facts',
  nature: 'action',
  apply: async (host, want): Promise<Judged> => judgeFacts(want, host.name, host.facts),
  predict: (host, want) => judgeFacts(want, host.name, host.facts),
  example: {
    roles: ['worker'],
    kubernetes: 'v1.34.2',
    proxyMode: 'auto',
    setsClock: false,
    networks: [{ field: 'kubePodsCIDR', cidr: '10.233.64.0/18' }],
    places: { kubeletDir: '/var/lib/kubelet', imageDir: '/var/lib/containerd' },
    freePercent: { node: 10, images: 15 },
  },
});
