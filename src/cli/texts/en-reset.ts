/** What `reset nodes` says, in English. */
export const enReset = {
  'group.reset': 'Put machines back as they were.',
  'cmd.reset-nodes': 'Put hosts back as they were before kubexm changed them.',
  'cmd.reset-nodes.details':
    'Reads what was changed from each host itself and undoes it, the last change first. Files that somebody else has changed since are kept as NAME.kubexm-kept-DATE and reported. In the end nothing of kubexm is left; with the last host of a cluster its kubeconfig goes too. It can be stopped or killed at any time and run again.',
  'ex.reset-nodes': 'see what was changed, then confirm',
  'ex.reset-nodes-dry': 'every single thing that would be undone on one host',
  'ex.reset-nodes-yes': 'without asking',
  'ex.reset-nodes-leave': 'a host with something that cannot be undone',
  'opt.leave': 'leave what cannot be undone as it is: report it with the reason and remove it from the manifest',
  'reset.nothing': 'None of these hosts has a manifest: kubexm has changed nothing there that it could undo.',
  'reset.warning': 'All of this is undone. Whatever runs on these hosts because of it will stop.',
  'col.changes': 'CHANGES',
} as const;
