import { parallel, sequence } from '../plan/combinators.ts';
import { defineModule, moduleOf } from '../plan/layers.ts';
import { kernelTask } from '../task/node/kernel.ts';
import { namesTask } from '../task/node/names.ts';
import { packagesTask } from '../task/node/packages.ts';
import { timeTask } from '../task/node/time.ts';
import { timezoneTask } from '../task/node/timezone.ts';
import { tuneTask } from '../task/node/tune.ts';
import { volumesTask } from '../task/node/volumes.ts';

/** The configuration that preparing a machine acts on. */
export const nodeFields: readonly string[] = [
  'spec.hosts[].name',
  'spec.hosts[].address',
  'spec.hosts[].internalAddress',
  'spec.extra.hosts',
  'spec.extra.resolves',
  'spec.system.ntpServers',
  'spec.system.timezone',
  'spec.system.rpms',
  'spec.system.debs',
];

/** Every machine of the cluster, whatever it does there, made ready for a container runtime. No host waits for another. */
export const nodeModule = defineModule({
  name: 'node',
  description: 'Machines that are alike and ready for a container runtime.',
  tasks: [tuneTask, kernelTask, namesTask, packagesTask, timeTask, timezoneTask],
  // Certificates, etcd and the other nodes know a node by them.
  fixed: ['spec.hosts[].address', 'spec.hosts[].internalAddress'],
  plan: (context) =>
    parallel(
      tuneTask.use(context),
      kernelTask.use(context),
      sequence(
        // Packages may come from a server that only these names and name servers know.
        namesTask.use(context),
        packagesTask.use(context),
        parallel(timeTask.use(context), timezoneTask.use(context)),
      ),
    ),
});

/** What the pods of a node need of the machine, and the node itself does not: it can start without, and comes to be beside it. */
export const nodeVolumesModule = moduleOf('node-volumes', 'Machines that can mount the volumes of pods.', volumesTask);
