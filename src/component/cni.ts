import type { Effect } from '../model/effect.ts';

/** What the plugins bridge and loopback of CNI make on a node, for a network that uses them. */
export function bridgeEffects(): readonly Effect[] {
  return [
    { type: 'ports', bridge: 'cni0', prefix: 'veth' },
    { type: 'links', prefix: 'cni0' },
    // All users of CNI record their containers there. Entries of the pod network have its name; the loopback has the same name everywhere.
    { type: 'paths', prefix: '/var/lib/cni/results/cni-loopback-' },
    { type: 'directory', path: '/var/lib/cni/results' },
    { type: 'directory', path: '/var/lib/cni/networks' },
  ];
}
