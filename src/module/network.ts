import { fixedFields } from '../component/index.ts';
import { defineModule } from '../plan/layers.ts';
import { flannelTask } from '../task/network/flannel.ts';

/** The network of pods. */
export const networkModule = defineModule({
  name: 'network',
  description: 'The network of pods.',
  tasks: [flannelTask],
  fixed: fixedFields('network'),
  plan: (context) => ({ fragment: flannelTask.use(context).fragment, outputs: undefined }),
});
