import { on } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { volumeClients } from '../../step/node/index.ts';

/** Installs what mounts the volumes of pods. */
export const volumesTask = defineTask({
  name: 'node/volumes',
  description: 'Clients of NFS and iSCSI, for the volumes of pods.',
  tags: ['node', 'packages', 'volumes'],
  steps: [volumeClients],
  plan: ({ targets }) => on(targets, ({ facts }) => volumeClients(facts)),
});
