import { hasLocalProxies } from '../../model/cluster/places.ts';
import { nothing, on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanHost } from '../../plan/layers.ts';
import { nameServers, ownName, sharedNames } from '../../step/node/index.ts';

/** Gives the machines their names. A name is in /etc/hosts before a machine is called so: sudo looks itself up. */
export const namesTask = defineTask({
  name: 'node/names',
  description: 'Names of the machines, /etc/hosts, more DNS servers.',
  tags: ['node', 'names'],
  steps: [sharedNames, ownName, nameServers],
  plan: ({ cluster: { spec }, targets }) => {
    // Thousands of hosts share one text, except where each finds the control plane in its own way.
    const names = hasLocalProxies(spec.controlPlaneEndpoint)
      ? on(targets, ({ name }: PlanHost) => sharedNames({ spec, name }))
      : on(targets, sharedNames({ spec, name: '' }));
    const own = sequence(names, on(targets, ownName));
    const servers = spec.extra.resolves.length === 0 ? nothing() : on(targets, nameServers(spec));
    return parallel(own, servers);
  },
});
