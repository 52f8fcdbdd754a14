import { fixedFields } from '../component/index.ts';
import { parallel } from '../plan/combinators.ts';
import { defineModule } from '../plan/layers.ts';
import { etcdClientsTask } from '../task/etcd/clients.ts';
import { installEtcdTask } from '../task/etcd/install.ts';

/** The store behind Kubernetes, where it is not part of the control plane. */
export const etcdModule = defineModule({
  name: 'etcd',
  description: 'etcd as a service or one that exists, and how API servers reach it.',
  tasks: [installEtcdTask, etcdClientsTask],
  fixed: fixedFields('etcd'),
  plan: (context) => parallel(installEtcdTask.use(context), etcdClientsTask.use(context)),
});
