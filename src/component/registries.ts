import { hostsOf } from '../model/cluster/cluster.ts';
import type { Component, WantedVersion } from './description.ts';

const asWanted = (version: string | undefined, field: string): { readonly wanted?: WantedVersion } =>
  version === undefined ? {} : { wanted: { version, field } };

/** The distribution registry, on the host of role `registry`. */
export const registry: Component = {
  name: 'registry',
  kind: 'registry',
  isUsed: ({ spec }) => spec.registry.type === 'registry',
  tasks: [],
  fields: ['spec.registry.type=registry', 'spec.registry.version'],
  catalog: (cluster) => [
    {
      component: 'registry',
      hosts: hostsOf(cluster, 'registry'),
      files: ['registry'],
      ...asWanted(cluster.spec.registry.version, 'spec.registry.version'),
    },
  ],
  processes: ['registry'],
};

/** Harbor, on the host of role `registry`. */
export const harbor: Component = {
  name: 'harbor',
  kind: 'registry',
  isUsed: ({ spec }) => spec.registry.type === 'harbor',
  tasks: [],
  fields: ['spec.registry.type=harbor', 'spec.registry.harborConfig.**'],
  catalog: (cluster) => {
    const { version, harborConfig } = cluster.spec.registry;
    const hosts = hostsOf(cluster, 'registry');
    const wanted =
      harborConfig?.version === undefined
        ? asWanted(version, 'spec.registry.version')
        : asWanted(harborConfig.version, 'spec.registry.harborConfig.version');
    return [
      { component: 'harbor', hosts, files: ['harbor'], ...wanted },
      { component: 'docker', hosts, files: ['docker'] },
      { component: 'docker-compose', hosts, files: ['docker-compose'] },
    ];
  },
};
