import type { Cluster } from '../model/cluster/index.ts';
import type { Facts } from '../model/facts.ts';
import { LOCAL } from '../model/host.ts';
import type { HostManifest } from '../model/manifest.ts';
import { keepOnce, type PlanArtifacts, type PlanContext, type PlanHost } from '../plan/layers.ts';
import { withMarks } from '../state/old-records.ts';

/** What planning may look at: the configuration and the facts of the hosts that are known. */
export function planContext(
  cluster: Cluster,
  facts: Readonly<Record<string, Facts>>,
  options: {
    readonly workDir: string;
    readonly assumeYes: boolean;
    readonly manifests?: Readonly<Record<string, HostManifest>>;
    readonly artifacts?: PlanArtifacts;
    /** The hosts that the run may change. Default: all. */
    readonly targets?: readonly string[];
    /** Hosts that do not answer; their facts are the last known ones. */
    readonly away?: ReadonlySet<string>;
  },
): PlanContext {
  const hosts = cluster.spec.hosts.flatMap((host): readonly PlanHost[] => {
    const known = facts[host.name];
    const isAway = options.away?.has(host.name) ? ({ isAway: true } as const) : {};
    return known ? [{ name: host.name, roles: host.roles, facts: known, ...isAway }] : [];
  });
  const { targets, away: _away, manifests, ...rest } = options;
  const wanted = targets && new Set(targets);
  const local = facts[LOCAL];
  if (!local) throw new TypeError('the local machine has no facts');
  const byRole = new Map<string, readonly PlanHost[]>();
  return {
    cluster,
    hosts,
    targets: wanted === undefined ? hosts : hosts.filter(({ name }) => wanted.has(name)),
    local: { name: LOCAL, roles: [], facts: local },
    role(name) {
      const members = byRole.get(name) ?? hosts.filter((host) => host.roles.includes(name));
      byRole.set(name, members);
      return members;
    },
    once: keepOnce(),
    ...rest,
    ...(manifests === undefined ? {} : { manifests: withMarks(manifests) }),
  };
}
