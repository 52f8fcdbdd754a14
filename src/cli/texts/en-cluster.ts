/** What the commands for whole clusters say, in English. */
export const enCluster = {
  'group.create': 'Bring up clusters.',
  'group.delete': 'Take clusters away again.',
  'cmd.create-cluster': 'Bring up a cluster on the machines of a configuration.',
  'cmd.create-cluster.details':
    'Looks at all machines first and tells everything it finds at once; then asks, and brings up the cluster with as much at the same time as its parts allow. What is already as wanted is left alone, so it can be run again at any time; after a failure or a kill, --resume goes on. What only holds when a cluster is created (its version, its networks, the settings of Kubernetes) is refused by name where a cluster exists and the file has changed.',
  'cmd.delete-cluster': 'Put every machine of a cluster back as it was before.',
  'cmd.delete-cluster.details':
    'Undoes what the machines’ own manifests say, on all of them at once: programs, files, packages, users, settings, containers, data. Works without the API and after a create that failed half-way. Files that somebody else has changed since are kept as copies and reported. Machines that do not answer, and machines that kubexm changed but that are no longer in the file, are reported too: run `kubexm reset nodes` for them later. The deletion is complete once the last of them has been reset.',
  'ex.create-cluster': 'look, ask, create',
  'ex.create-cluster-dry': 'every single thing that would be changed',
  'ex.create-cluster-resume': 'go on after a failure',
  'ex.create-cluster-merge': 'and use it with every kubectl from then on',
  'ex.delete-cluster': 'confirm by the name of the cluster',
  'ex.delete-cluster-dry': 'every single thing that would be undone',
  'opt.skip-preflight': 'do not check the machines first',
  'opt.merge-kubeconfig':
    'when it is done, put the cluster into your own kubeconfig, as `kubexm get kubeconfig --merge` does',
  'cmd.get-kubeconfig': 'Print the kubeconfig of a cluster, or put it into your own.',
  'cmd.get-kubeconfig.details':
    'Prints the administrator’s kubeconfig as `create cluster` fetched it: it gives full control of the cluster. With --merge, a cluster, a user and a context with the name of the cluster are put into the first file of KUBECONFIG, else ~/.kube/config, and the context becomes the current one; every other entry and every comment there stays, while spaces and line breaks may change. A file that is JSON is left alone, and so is an entry of that name that kubexm did not put there. `delete cluster` takes them out again.',
  'ex.get-kubeconfig-name': 'the file, for KUBECONFIG',
  'ex.get-kubeconfig-merge': 'use it with every kubectl from now on',
  'opt.merge': 'put it into your own kubeconfig instead of printing it',
  'opt.kubeconfig-output': 'the kubeconfig itself, or the name of its file',
  'kubeconfig.merged': '{file} has the cluster {name} now; its context is the current one.',
  'kubeconfig.unfetched':
    'This run did not fetch the kubeconfig, so nothing was merged. To merge the one that is here: kubexm get kubeconfig --merge',
  'kubeconfig.removed': 'The cluster {name} was taken out of {file}.',
  'kubeconfig.left':
    '{file} still has entries called {name} that were changed since: {what}. To remove them: kubectl config delete-context {name}; kubectl config delete-cluster {name}; kubectl config delete-user {name}',
  'delete.warning': 'Everything that runs in this cluster, and all its data, is gone after this. Hosts: {hosts}',
} as const;
