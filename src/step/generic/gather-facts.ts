import type { Facts } from '../../model/facts.ts';
import { defineStep } from '../../plan/step.ts';

/** Which facts are asked for. */
export interface GatherFacts {
  readonly facts: readonly (keyof Facts)[];
}

/** Gives facts that were read when the host was connected, as a value that later steps can use: the rows of a table. */
export const gatherFacts = defineStep<GatherFacts>()({
  kind: 'gatherFacts',
  description:
    'Facts of the host, as read at the start, as a value for later steps: system, memory, addresses and so on.',
  title: (want) => `facts ${String(want.facts)}`,
  nature: 'action',
  apply: async (host, want): Promise<Partial<Facts>> =>
    Object.fromEntries(want.facts.map((name) => [name, host.facts[name]])),
  example: { facts: ['hostname', 'kernel'] },
});
