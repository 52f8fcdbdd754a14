import { parseFacts } from '../../host/facts.ts';
import { kubexmError } from '../../model/errors/index.ts';
import type { Facts } from '../../model/facts.ts';
import { sh } from '../../model/script.ts';
import { defineStep } from '../../plan/step.ts';

/** Which facts are asked for. */
export interface GatherFacts {
  readonly facts: readonly (keyof Facts)[];
}

const MAX_BYTES = 4 * 1024 * 1024;

/** Reads facts anew, as a value that later steps can use: what the plan was made from is not changed by it. */
export const gatherFacts = defineStep<GatherFacts>()({
  kind: 'gatherFacts',
  description: 'Reads facts of the host anew, as a value for later steps: its system, memory, addresses and so on.',
  title: (want) => `facts ${want.facts.join(', ')}`,
  nature: 'action',
  apply: async (host, want): Promise<Partial<Facts>> => {
    const sentAt = Date.now();
    // Two calls at once: the clock is answered first, so that slow facts do not blur its offset.
    const [clock, rest] = await Promise.all([
      host.run(sh`date +%s.%N`).then((output) => ({ output, receivedAt: Date.now() })),
      host.run(sh`kx_facts`, { maxBytes: MAX_BYTES }),
    ]);
    const failed = [clock.output, rest].find((output) => output.code !== 0);
    if (failed) throw kubexmError('KX5003', { host: host.name, reason: failed.stderr.trim() }, { host: host.name });
    const { receivedAt } = clock;
    const text = `@@ time\n${clock.output.stdout}${rest.stdout}`;
    const facts = parseFacts(text, { sentAt, receivedAt, user: host.facts.user });
    return Object.fromEntries(want.facts.map((name) => [name, facts[name]]));
  },
  example: { facts: ['hostname', 'kernel'] },
});
