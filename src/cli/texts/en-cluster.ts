/** What the commands for whole clusters say, in English. */
export const enCluster = {
  'group.create': 'Bring up clusters.',
  'group.delete': 'Take clusters away again.',
  'cmd.create-cluster': 'Bring up a cluster on the machines of a configuration.',
  'cmd.create-cluster.details':
    'Looks at all machines first and tells everything it finds at once; then asks, and brings up the cluster with as much at the same time as its parts allow. What is already as wanted is left alone, so it can be run again at any time; after a failure or a kill, --resume goes on.',
  'cmd.delete-cluster': 'Put every machine of a cluster back as it was before.',
  'cmd.delete-cluster.details':
    'Undoes what the machines’ own manifests say, on all of them at once: programs, files, packages, users, settings, containers, data. Works without the API and after a create that failed half-way. What somebody else changed since is kept beside and told. A machine that does not answer is told; `kubexm reset nodes` finishes it later.',
  'ex.create-cluster': 'look, ask, create',
  'ex.create-cluster-dry': 'every single thing that would be changed',
  'ex.create-cluster-resume': 'go on after a failure',
  'ex.delete-cluster': 'confirm by the name of the cluster',
  'ex.delete-cluster-dry': 'every single thing that would be undone',
  'opt.skip-preflight': 'do not check the machines first',
  'delete.warning': 'Everything that runs in this cluster, and all its data, is gone after this. Hosts: {hosts}',
} as const;
