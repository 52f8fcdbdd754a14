import { on } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { timeZone } from '../../step/node/index.ts';

/** Sets the time zone, if the configuration names one. */
export const timezoneTask = defineTask({
  name: 'node/timezone',
  description: 'The time zone of the configuration.',
  tags: ['node', 'time'],
  steps: [timeZone],
  isRequired: ({ cluster }) => cluster.spec.system.timezone !== undefined,
  plan: ({ cluster, targets }) => {
    const zone = cluster.spec.system.timezone ?? '';
    return on(targets, timeZone({ zone }));
  },
});
