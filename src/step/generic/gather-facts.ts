import type { Facts } from '../../model/facts.ts';
import { defineStep } from '../../plan/step.ts';

/** Which facts are asked for. */
export interface GatherFacts {
  readonly facts: readonly (keyof Facts)[];
}

/** Gives facts of the host as a value that later steps can use, such as the rows of a table. */
export const gatherFacts = defineStep<GatherFacts>()({
  kind: 'gatherFacts',
  description: 'Facts of the host, as a value for later steps: its system, memory, addresses and so on.',
  title: (want) => `facts ${want.facts.join(', ')}`,
  nature: 'action',
  apply: async (host, want): Promise<Partial<Facts>> =>
    Object.fromEntries(want.facts.map((name) => [name, host.facts[name]])),
  example: { facts: ['hostname', 'kernel'] },
});
