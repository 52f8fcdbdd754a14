import { nothing, on, parallel, sequence } from '../../plan/combinators.ts';
import { defineTask } from '../../plan/layers.ts';
import {
  noteTimeService,
  otherTimeService,
  ownTimeService,
  rivalsOf,
  timeLinesFor,
  timeServers,
} from '../../step/node/index.ts';

/** One time on all machines, by chrony. One that was there before is configured, and stays. */
export const timeTask = defineTask({
  name: 'node/time',
  description: 'chrony with the servers of the configuration.',
  tags: ['node', 'time'],
  steps: [noteTimeService, timeServers, otherTimeService, ownTimeService],
  plan: ({ cluster, targets }) => {
    const linesOf = timeLinesFor(cluster.spec);
    const units = new Set(targets.flatMap(({ facts }) => rivalsOf(facts)));
    const others = [...units].map((unit) => {
      const there = targets.filter(({ facts }) => rivalsOf(facts).includes(unit));
      return on(there, otherTimeService({ unit }), { name: `no-${unit}` });
    });
    const configure = sequence(
      cluster.spec.system.ntpServers.length === 0 ? nothing() : on(targets, ({ facts }) => noteTimeService(facts)),
      on(targets, (host) => timeServers({ facts: host.facts, lines: linesOf(host) })),
    );
    const start = on(targets, (host) => ownTimeService({ facts: host.facts, lines: linesOf(host) }));
    return sequence(parallel(...others, configure), start);
  },
});
