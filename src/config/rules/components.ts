import { parseIp } from '../../model/cluster/ip.ts';
import { nearbyHosts } from '../nearby.ts';
import type { Path } from '../tree.ts';
import { type Rule, rule } from './rule.ts';

const registryHost = rule(
  ['spec.registry.type', 'spec.registry.privateRegistry', 'spec.roleGroups.registry', 'spec.hosts.*.roles'],
  ({ cluster, report }) => {
    const { registry, roleGroups } = cluster.spec;
    const group: Path = ['spec', 'roleGroups', 'registry'];
    const count = roleGroups.registry.length;
    if (registry.type === 'none' || registry.type === 'external') {
      if (count > 0) report('KX2711', { type: registry.type }, group, ['spec', 'registry', 'type']);
    } else if (count !== 1) report('KX2709', { count }, group, ['spec', 'registry', 'type']);
    if (registry.type !== 'none' && !registry.privateRegistry) report('KX2710', {}, ['spec', 'registry']);
  },
);

const harbor = rule(['spec.registry.type'], ({ cluster, isSet, report }) => {
  const { type } = cluster.spec.registry;
  if (type === 'harbor' || !isSet('spec.registry.harborConfig')) return;
  const params = { section: 'registry.harborConfig', field: 'registry.type', value: type };
  report('KX2610', params, ['spec', 'registry', 'harborConfig'], ['spec', 'registry', 'type']);
});

const logins = rule(['spec.registry.auths'], ({ cluster, report }) => {
  for (const [registry, auth] of Object.entries(cluster.spec.registry.auths)) {
    if ((auth.username === undefined) === (auth.password === undefined)) continue;
    report('KX2720', { registry }, ['spec', 'registry', 'auths', registry]);
  }
});

const addons = rule(['spec.addons'], ({ cluster, report }) => {
  const first = new Map<string, number>();
  cluster.spec.addons.forEach((addon, i) => {
    const { name, type } = addon;
    const path: Path = ['spec', 'addons', i];
    const other = first.get(name);
    if (other !== undefined) report('KX2716', { name }, [...path, 'name'], ['spec', 'addons', other, 'name']);
    else first.set(name, i);
    const byFile = /^(\.{0,2}\/|oci:\/\/|https?:\/\/)|\.tgz$/.test(addon.chart ?? '');
    if (type === 'yaml' && addon.path.length === 0) report('KX2715', { name, type, need: 'path' }, path);
    if (type === 'helm' && addon.chart === undefined) report('KX2715', { name, type, need: 'chart' }, path);
    else if (type === 'helm' && addon.repo === undefined && !byFile)
      report('KX2715', { name, type, need: 'repo' }, path);
    for (const [key, belongs] of Object.entries(ADDON_KEYS)) {
      const value = addon[key as keyof typeof addon];
      const set = Array.isArray(value) ? value.length > 0 : value !== undefined;
      if (set && type !== undefined && type !== belongs) {
        report('KX2723', { value: key, belongs, type }, [...path, key], [...path, 'type']);
      }
    }
  });
});
const ADDON_KEYS = { path: 'yaml', repo: 'helm', chart: 'helm', valuesFile: 'helm' } as const;

/** Sources that kubexm itself asks over the network. */
const NETWORK: readonly string[] = ['mirror', 'upstream', 'zone'];

const sources = rule(['spec.artifacts.sources'], ({ cluster, report }) => {
  cluster.spec.artifacts.sources.forEach((source, i) => {
    const { type } = source;
    const path: Path = ['spec', 'artifacts', 'sources', i];
    const need = type === 'bundle' || type === 'directory' ? 'path' : type === 'mirror' ? 'url' : undefined;
    if (need !== undefined && source[need] === undefined) report('KX2721', { type, need }, path);
    const belongings = {
      sha256: 'bundle',
      unverified: 'go',
      url: 'mirror',
      plainHTTP: 'mirror',
      username: 'mirror',
      password: 'mirror',
    } as const;
    for (const [key, belongs] of Object.entries(belongings)) {
      if (source[key as keyof typeof belongings] === undefined || type === belongs) continue;
      report('KX2723', { value: key, belongs, type }, [...path, key], [...path, 'type']);
    }
    if (source.caFile !== undefined && !NETWORK.includes(type)) {
      const belongs = NETWORK.join(', ');
      report('KX2723', { value: 'caFile', belongs, type }, [...path, 'caFile'], [...path, 'type']);
    }
    if (source.path !== undefined && need !== 'path') {
      report('KX2723', { value: 'path', belongs: 'bundle, directory', type }, [...path, 'path'], [...path, 'type']);
    }
  });
});

const timeServers = rule([], ({ cluster, names, report }) => {
  cluster.spec.system.ntpServers.forEach((value, i) => {
    if (value.includes('.') || value.includes(':') || names.has(value)) return;
    // Looking for neighbours takes time, and nobody reads the hundredth message.
    const nearby = i < 100 ? nearbyHosts(value, names) : '-';
    report('KX2718', { value, nearby }, ['spec', 'system', 'ntpServers', i]);
  });
});

const extraHosts = rule([], ({ cluster, report }) => {
  const first = new Map<string, number>();
  const { hosts } = cluster.spec.extra;
  hosts.forEach(({ domain, address }, i) => {
    const key = `${domain} ${parseIp(address)?.family}`;
    const other = first.get(key);
    if (other === undefined) first.set(key, i);
    else if (hosts[other]?.address !== address) {
      const params = { domain, first: hosts[other]?.address ?? '', second: address };
      report('KX2722', params, ['spec', 'extra', 'hosts', i, 'address'], ['spec', 'extra', 'hosts', other, 'address']);
    }
  });
});

/** Rules over the registry, addons, artifacts and the operating system. */
export const componentRules: readonly Rule[] = [registryHost, harbor, logins, addons, sources, timeServers, extraHosts];
