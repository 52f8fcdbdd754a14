import { alias, choice, list, section } from './field.ts';
import { ROLE_ALIASES, ROLES } from './role-words.ts';
import { hostRange } from './text.ts';

export { ROLES } from './role-words.ts';

/** A role of a host. */
export type Role = (typeof ROLES)[number];

const spellings = Object.fromEntries(
  Object.entries(ROLE_ALIASES).flatMap(([name, others]) => others.map((other) => [other, name as Role])),
);

/** A role written as a value. */
export const role = choice(ROLES, spellings);

const members = () => list(hostRange());

/** `spec.roleGroups`. */
export const roleGroupsSchema = section({
  etcd: members().describe('Hosts of etcd: 1, 3 or 5. Needed for etcd.type kubexm.'),
  master: alias(members(), ...ROLE_ALIASES.master).describe('Hosts of the control plane.'),
  worker: alias(members(), ...ROLE_ALIASES.worker).describe('Hosts that run workloads.'),
  registry: members().describe('The one host of the image registry, if one is to be installed.'),
  loadbalancer: alias(members(), ...ROLE_ALIASES.loadbalancer).describe(
    'Hosts of the external load balancer: keepalived with haproxy or nginx.',
  ),
}).describe('Which hosts do what: names or ranges such as node[5:6] and node[01:12].');
