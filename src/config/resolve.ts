import type { Cluster, ClusterHost, ControlPlaneEndpoint } from '../model/cluster/cluster.ts';
import type { ClusterDocument } from '../model/cluster/document.ts';
import { livingGates } from '../model/cluster/feature-gates.ts';
import { type DualStack, dualStack, formatCidr, parseCidr, parseIp } from '../model/cluster/ip.ts';
import { pluginSchemas } from '../model/cluster/network.ts';
import { expandRange } from '../model/cluster/range.ts';
import { ROLES, type Role } from '../model/cluster/roles.ts';
import { Secret } from '../model/cluster/secret.ts';
import type { ErrorCode, ErrorParams } from '../model/errors/index.ts';
import { nearbyHosts } from './nearby.ts';
import { resolveSsh } from './resolve-ssh.ts';
import { formatPath, type Path } from './tree.ts';

/** Told about a problem at a path of the document, and at other paths that belong to it. */
export type ReportAt = <C extends ErrorCode>(code: C, params: ErrorParams<C>, path: Path, ...also: Path[]) => void;

/** What resolving needs to know beside the document. */
export interface Surroundings {
  /** Every name in `spec.hosts`, also of hosts that are wrong in themselves. */
  readonly names: ReadonlySet<string>;
  /** Whether all names could be read; if not, nobody can say that one is unknown. */
  readonly complete: boolean;
  /** Whether the user wrote something at a path, right or wrong. */
  readonly written: (path: Path) => boolean;
  readonly report: ReportAt;
}

/** Makes the cluster that all other layers read out of a checked document. */
export function resolveCluster(checked: ClusterDocument, surroundings: Surroundings): Cluster {
  const { written, report } = surroundings;
  const document = placeSecrets(checked, []);
  const { hosts, ssh: _ssh, roleGroups: _groups, controlPlaneEndpoint, ...spec } = document.spec;
  const groups = resolveRoles(document, surroundings);
  const roles = rolesByHost(groups);
  const sshByHost = resolveSsh(document, report);
  return {
    apiVersion: document.apiVersion,
    kind: document.kind,
    metadata: document.metadata,
    spec: {
      ...spec,
      hosts: hosts.map((host, i): ClusterHost => {
        const internal = host.internalAddress ?? ownAddress(host.address);
        if (internal === undefined && !written(['spec', 'hosts', i, 'internalAddress'])) {
          report('KX2404', { host: host.name, address: host.address }, ['spec', 'hosts', i, 'address']);
        }
        return {
          name: host.name,
          address: host.address,
          internal: internal ?? { list: [] },
          ssh: sshByHost[i] ?? { bastions: [], connectTimeoutSeconds: document.spec.ssh.connectTimeoutSeconds },
          ...(host.arch === undefined ? {} : { arch: host.arch }),
          labels: host.labels,
          taints: host.taints,
          roles: roles.get(host.name) ?? [],
        };
      }),
      roleGroups: groups,
      controlPlaneEndpoint: endpoint(controlPlaneEndpoint),
      kubernetes: kubernetes(document),
      network: { ...pluginDefaults(spec.network.plugin), ...spec.network },
      registry: { ...spec.registry, type: registryType(spec.registry.type, groups.registry.length) },
    },
  };
}

/** Every secret learns where it stands, so that its text can be found once it is resolved. */
function placeSecrets<T>(value: T, path: Path): T {
  if (value instanceof Secret) return value.placedAt(formatPath(path)) as T;
  if (Array.isArray(value)) return value.map((item, i) => placeSecrets(item as unknown, [...path, i])) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, placeSecrets(inner as unknown, [...path, key])]),
  ) as T;
}

function resolveRoles(
  { spec }: ClusterDocument,
  { names, complete, report }: Surroundings,
): Readonly<Record<Role, readonly string[]>> {
  const present = new Set(spec.hosts.map((host) => host.name));
  let told = 0;
  const members = (role: Role): readonly string[] => {
    const found = new Set<string>();
    spec.roleGroups[role].forEach((text, i) => {
      const path = ['spec', 'roleGroups', role, i];
      const range = expandRange(text);
      const wanted = 'names' in range ? range.names : [];
      const unknown = wanted.filter((name) => !names.has(name));
      if (unknown.length > 0 && complete) {
        const host = unknown.length > 5 ? `${unknown.slice(0, 5).join(', ')} …` : unknown.join(', ');
        // Looking for neighbours takes time, and nobody reads the hundredth message.
        const nearby = told < 100 ? nearbyHosts(unknown[0] ?? '', names) : '-';
        told += 1;
        report('KX2405', { role, host, nearby }, path);
      }
      for (const host of wanted) {
        if (found.has(host)) report('KX2908', { role, host }, path);
        else if (present.has(host)) found.add(host);
      }
    });
    for (const host of spec.hosts) if (host.roles.includes(role)) found.add(host.name);
    return [...found];
  };
  const groups = Object.fromEntries(ROLES.map((role) => [role, members(role)])) as Record<Role, readonly string[]>;
  // Where nobody is named, etcd runs on the masters, by kubeadm or as a service.
  const onMasters = spec.etcd.type !== 'external' && groups.etcd.length === 0;
  return onMasters ? { ...groups, etcd: groups.master } : groups;
}

function rolesByHost(groups: Readonly<Record<Role, readonly string[]>>): ReadonlyMap<string, readonly Role[]> {
  const roles = new Map<string, Role[]>();
  for (const role of ROLES) {
    for (const name of groups[role]) roles.set(name, [...(roles.get(name) ?? []), role]);
  }
  return roles;
}

function ownAddress(address: string): DualStack | undefined {
  const ip = parseIp(address);
  return ip === undefined ? undefined : dualStack([{ family: ip.family, text: address }]);
}

function endpoint(written: ClusterDocument['spec']['controlPlaneEndpoint']): ControlPlaneEndpoint {
  const { lb_address: address, externalLoadBalancer, internalLoadbalancer, interface: device, ...rest } = written;
  return {
    ...rest,
    externalLoadBalancer: externalLoadBalancer === '' ? 'none' : externalLoadBalancer,
    internalLoadbalancer: internalLoadbalancer === '' ? 'none' : internalLoadbalancer,
    ...(address === undefined ? {} : { address }),
    ...(device === undefined ? {} : { interface: device }),
  };
}

function kubernetes({ spec }: ClusterDocument): Cluster['spec']['kubernetes'] {
  const { containerRuntime: runtime, nodeCidrMaskSizeIPv6: mask, ...rest } = spec.kubernetes;
  const version = runtime[runtime.type]?.version ?? runtime.version;
  const { ipvs, ...proxy } = rest.kubeProxyConfiguration;
  const network = (text: string): string => {
    const cidr = parseCidr(text);
    return cidr === undefined ? text : formatCidr(cidr);
  };
  return {
    ...rest,
    featureGates: livingGates(rest.featureGates),
    kubeProxyConfiguration: {
      ...proxy,
      ...(ipvs === undefined ? {} : { ipvs: { ...ipvs, excludeCIDRs: ipvs.excludeCIDRs.map(network) } }),
    },
    containerRuntime: { type: runtime.type, ...(version === undefined ? {} : { version }) },
    nodeCidrMaskSizeIPv6: mask ?? ipv6Mask(spec.network.kubePodsCIDR.ipv6),
  };
}

/** The settings of the chosen plugin are there even if nobody wrote them. */
function pluginDefaults(plugin: keyof typeof pluginSchemas): Partial<ClusterDocument['spec']['network']> {
  return { [plugin]: pluginSchemas[plugin].parse({}) };
}

/** The controller manager's own default, 64, only fits pod networks from /48, and leaves room for nodes up to /56. */
function ipv6Mask(pods: string | undefined): number {
  const prefix = parseCidr(pods ?? '')?.prefix ?? 56;
  return prefix >= 48 && prefix <= 56 ? 64 : Math.min(prefix + 8, 128);
}

function registryType(
  type: ClusterDocument['spec']['registry']['type'],
  hosts: number,
): Cluster['spec']['registry']['type'] {
  if (type !== '') return type;
  return hosts > 0 ? 'registry' : 'none';
}
