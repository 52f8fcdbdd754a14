import { on, parallel, perHost, rolling, sequence } from '../src/plan/combinators.ts';
import type { ExecutionFragment } from '../src/plan/node.ts';
import { local, many, step } from '../test/plans/fixtures.ts';

const HOSTS = 5000;
const STEPS = 100;

/** A hundred steps on five thousand hosts as pipelines really look: roles, local steps, barriers, wants that differ. */
function mixed(): ExecutionFragment {
  const all = many('node', HOSTS);
  const control = all.slice(0, 5);
  const workers = all.slice(5);
  return sequence(
    ...Array.from({ length: STEPS }, (_, i) => {
      if (i % 20 === 7) return on(local, step(`local-${i}`));
      if (i % 10 === 3) return on(all, (host) => step(`each-${i}`, `/etc/${host.name}`));
      if (i % 10 === 5) return parallel(on(control, step(`control-${i}`)), on(workers, step(`worker-${i}`)));
      return on(all, step(`all-${i}`));
    }),
  );
}

/** Plans for five thousand hosts, by name. */
export const planCases: Readonly<Record<string, () => ExecutionFragment>> = {
  alike: () => {
    const all = many('node', HOSTS);
    return sequence(...Array.from({ length: STEPS }, (_, i) => on(all, step(`step-${i}`))));
  },
  mixed,
  'host-by-host': () =>
    sequence(
      ...Array.from({ length: 5 }, (_, k) =>
        perHost(many('node', HOSTS), (host) => sequence(on(host, step(`a-${k}`)), on(host, step(`b-${k}`)))),
      ),
    ),
  rolling: () =>
    rolling('roll', many('node', HOSTS), { batch: 1, needs: 'quorum' }, (batch) =>
      sequence(on(batch, step('a')), on(batch, step('b'))),
    ),
};
