import { fixedFields } from '../component/index.ts';
import { moduleOf } from '../plan/layers.ts';
import { flannelTask } from '../task/network/flannel.ts';

/** The network of pods. */
export const networkModule = moduleOf('network', 'The network of pods.', flannelTask, {
  fixed: fixedFields('network'),
});
