import type { Cluster } from '../model/cluster/index.ts';
import { expandRange } from '../model/cluster/range.ts';
import { kubexmError } from '../model/errors/index.ts';

/**
 * The hosts a person means: names, globs (`node*`, `master-?`), ranges (`node[1:3]`), roles (`etcd`, `group:etcd`), all
 * separated by commas; `!` takes some out again. In the order of the file.
 */
export function selectHosts(cluster: Cluster, patterns: readonly string[]): readonly string[] {
  const names = cluster.spec.hosts.map((host) => host.name);
  const words = patterns
    .flatMap((pattern) => pattern.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const chosen = new Set<string>(words.length === 0 || words.every((word) => word.startsWith('!')) ? names : []);
  for (const word of words) {
    const out = word.startsWith('!');
    const found = matching(cluster, names, out ? word.slice(1) : word);
    if (found.length === 0) throw kubexmError('KX4023', { pattern: word, names: names.slice(0, 20).join(', ') });
    for (const name of found) {
      if (out) chosen.delete(name);
      else chosen.add(name);
    }
  }
  return names.filter((name) => chosen.has(name));
}

function matching(cluster: Cluster, names: readonly string[], word: string): readonly string[] {
  if (names.includes(word)) return [word];
  const role = word.replace(/^(group|role):/, '');
  const members = (cluster.spec.roleGroups as Readonly<Record<string, readonly string[]>>)[role];
  if (members) return members;
  if (word === 'all' || word === '*') return names;
  const byAddress = cluster.spec.hosts.filter((host) => host.address === word).map((host) => host.name);
  if (byAddress.length > 0) return byAddress;
  const range = expandRange(word);
  const wanted = 'names' in range ? range.names : [word];
  const tests = wanted.map(globTest);
  return names.filter((name) => tests.some((test) => test.test(name)));
}

function globTest(glob: string): RegExp {
  const text = glob
    .replaceAll(/[.+^${}()|\\[\]]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${text}$`);
}
