import { defineModule } from '../plan/layers.ts';
import { flannelTask } from '../task/network/flannel.ts';

/** The configuration that this module acts on. */
export const networkFields = ['spec.network.plugin=flannel', 'spec.network.flannel.**'];

/** The network of pods. */
export const networkModule = defineModule({
  name: 'network',
  description: 'The network of pods.',
  tasks: [flannelTask],
  // Another network beside the first would not take its place.
  fixed: ['spec.network.plugin', 'spec.network.kubePodsCIDR'],
  plan: (context) => ({ fragment: flannelTask.use(context).fragment, outputs: undefined }),
});
