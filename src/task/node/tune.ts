import { on, parallel } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { firewallOff, selinuxPermissive, swapOff } from '../../step/node/index.ts';

/** Takes away what would stand in the way of containers. A machine on which SELinux is off stays so. */
export const tuneTask = defineTask({
  name: 'node/tune',
  description: 'SELinux permissive, no swap, no firewall.',
  tags: ['node', 'tune'],
  steps: [selinuxPermissive, swapOff, firewallOff],
  plan: ({ targets }) => {
    const secured = targets.filter(({ facts }) => facts.selinux === 'enforcing' || facts.selinux === 'permissive');
    return parallel(on(secured, selinuxPermissive({})), on(targets, swapOff({})), on(targets, firewallOff({})));
  },
});
