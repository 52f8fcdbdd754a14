import { on, sequence } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import { defaultSettings, forwardingSettings, kernelModules } from '../../step/node/index.ts';

/** Loads modules, then sets kernel parameters. */
export const kernelTask = defineTask({
  name: 'node/kernel',
  description: 'Kernel modules and settings, now and at every start.',
  tags: ['node', 'kernel'],
  steps: [kernelModules, forwardingSettings, defaultSettings],
  plan: ({ cluster: { spec }, targets }) =>
    sequence(
      on(targets, kernelModules(spec)),
      on(targets, forwardingSettings(spec)),
      on(targets, ({ facts }) => defaultSettings({ spec, facts })),
    ),
});
