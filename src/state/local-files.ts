import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Cluster } from '../model/cluster/index.ts';

/**
 * The certificates, keys and policies that a configuration names, as absolute paths: they are relative to the directory of its file, wherever
 * kubexm is started, and `~` is the home of the user.
 */
export function withLocalFiles(cluster: Cluster, directory: string): Cluster {
  const { pki, etcd, kubernetes } = cluster.spec;
  const files = <T extends Readonly<Record<string, unknown>>>(one: T, keys: readonly (keyof T)[]): T => ({
    ...one,
    ...Object.fromEntries(
      keys.flatMap((key) => (typeof one[key] === 'string' ? [[key, absolute(one[key], directory)]] : [])),
    ),
  });
  const authorities = (['ca', 'etcd', 'frontProxy'] as const).flatMap((name) => {
    const one = pki[name];
    return one === undefined ? [] : [[name, files(one, ['caFile', 'keyFile'])] as const];
  });
  const { external } = etcd;
  return {
    ...cluster,
    spec: {
      ...cluster.spec,
      kubernetes: { ...kubernetes, audit: files(kubernetes.audit, ['policyFile']) },
      pki: { ...pki, ...Object.fromEntries(authorities) },
      etcd: external === undefined ? etcd : { ...etcd, external: files(external, ['caFile', 'certFile', 'keyFile']) },
    },
  };
}

function absolute(path: string, directory: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : resolve(directory, path);
}
