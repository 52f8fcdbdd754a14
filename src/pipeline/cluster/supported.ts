/** Configuration that every pipeline over a cluster acts on: which machines, and how they are reached. */
export const COMMON_FIELDS: readonly string[] = [
  'apiVersion',
  'kind',
  'metadata.name',
  'spec.ssh.**',
  'spec.hosts.**',
  'spec.roleGroups.**',
  'spec.artifacts.**',
];
